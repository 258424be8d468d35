"""The budget of a month, with notifications to the alarms' topic."""

from __future__ import annotations

from aws_cdk import Aws
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_iam as iam
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
        _let_budgets_publish(topic)


def _let_budgets_publish(topic: sns.Topic) -> None:
    """https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html."""
    topic.add_to_resource_policy(
        iam.PolicyStatement(
            principals=[iam.ServicePrincipal("budgets.amazonaws.com")],
            actions=["sns:Publish"],
            resources=[topic.topic_arn],
            conditions={
                "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
                "ArnLike": {"aws:SourceArn": f"arn:{Aws.PARTITION}:budgets::{Aws.ACCOUNT_ID}:*"},
            },
        )
    )
