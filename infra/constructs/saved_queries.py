"""Saved queries of the processor's log, which CloudWatch Logs Insights lists below the stage's name."""

from __future__ import annotations

from aws_cdk import aws_logs as logs
from constructs import Construct

_ANSWER = "fields @timestamp, requestId, Strategy, Model, Code, AnswerTime, TimeToFirstToken, InputTokens, OutputTokens"
QUERIES = {
    "slow answers": f"{_ANSWER} | filter ispresent(AnswerTime) | sort AnswerTime desc | limit 50",
    "failed answers": f"{_ANSWER} | filter FailedAnswers = 1 or RefusedAnswers = 1 | sort @timestamp desc | limit 50",
    "models that were silent": f"{_ANSWER} | filter SilentModels = 1 | sort @timestamp desc | limit 50",
    "one request": 'fields @timestamp, @message | filter requestId = "ID" | sort @timestamp asc | limit 200',
}


class SavedQueries(Construct):
    """`name`: of the stage. `log_group`: of the processor."""

    def __init__(self, scope: Construct, id: str, *, name: str, log_group: logs.ILogGroup) -> None:
        super().__init__(scope, id)
        for title, query in QUERIES.items():
            logs.CfnQueryDefinition(
                self,
                "".join(word.capitalize() for word in title.split()),
                name=f"{name}/{title}",
                query_string=query,
                log_group_names=[log_group.log_group_name],
            )
