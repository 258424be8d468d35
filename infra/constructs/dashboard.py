"""The dashboard: what the alarms watch, each with its threshold, and how fast and how much is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_cdk import Aws
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

_WIDTH = 6


class Dashboard(Construct):
    """`groups`: alarms by their names, below a heading each. On top stands which of them ring, and below it `use`.

    `use`: the metrics of each graph, by its title.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        name: str,
        groups: Mapping[str, Mapping[str, cloudwatch.Alarm]],
        use: Mapping[str, Sequence[cloudwatch.IMetric]],
    ) -> None:
        super().__init__(scope, id)
        every = [alarm for alarms in groups.values() for alarm in alarms.values()]
        # An account has one list of dashboards for all regions, and each region may have this stage.
        dashboard = cloudwatch.Dashboard(self, "Dashboard", dashboard_name=f"{name}-{Aws.REGION}")
        dashboard.add_widgets(cloudwatch.AlarmStatusWidget(title="Alarms", alarms=every, width=24, height=4))
        dashboard.add_widgets(
            *[
                cloudwatch.GraphWidget(title=title, left=list(metrics), width=2 * _WIDTH)
                for title, metrics in use.items()
            ]
        )
        for title, alarms in groups.items():
            dashboard.add_widgets(cloudwatch.TextWidget(markdown=f"## {title}", width=24, height=1))
            dashboard.add_widgets(*[_graph(alarm, each) for each, alarm in alarms.items()])


def _graph(alarm: cloudwatch.Alarm, title: str) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(
        title=title, left=[alarm.metric], left_annotations=[alarm.to_annotation()], width=_WIDTH
    )
