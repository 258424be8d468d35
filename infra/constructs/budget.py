"""The budget of a month, with notifications to the alarms' topic."""

from __future__ import annotations

from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_sns as sns
from constructs import Construct

# When a notification is sent: the kind of the costs, and per cent of the budget.
_NOTIFICATIONS = (("FORECASTED", 80), ("ACTUAL", 100))


class Budget(Construct):
    """`dollars` a month for the whole account: calls of Bedrock's profiles carry no tag that would tell stages apart.

    It has no name of its own, because CloudFormation replaces a budget whose notifications change.
    """

    def __init__(self, scope: Construct, id: str, *, dollars: int, topic: sns.Topic) -> None:
        super().__init__(scope, id)
        to = budgets.CfnBudget.SubscriberProperty(address=topic.topic_arn, subscription_type="SNS")
        budgets.CfnBudget(
            self,
            "Budget",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_type="COST",
                time_unit="MONTHLY",
                budget_limit=budgets.CfnBudget.SpendProperty(amount=dollars, unit="USD"),
            ),
            notifications_with_subscribers=[
                budgets.CfnBudget.NotificationWithSubscribersProperty(
                    notification=budgets.CfnBudget.NotificationProperty(
                        comparison_operator="GREATER_THAN",
                        notification_type=kind,
                        threshold=per_cent,
                        threshold_type="PERCENTAGE",
                    ),
                    subscribers=[to],
                )
                for kind, per_cent in _NOTIFICATIONS
            ],
        )
