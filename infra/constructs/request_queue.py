"""The queue between accepting a message and answering it."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.settings import StageSettings


class RequestQueue(Construct):
    """FIFO with a message group for each session, so that a session's messages are answered in their order.

    In high-throughput mode, so that no user takes up the 300 sends a second that a FIFO queue has otherwise. A message
    is then deduplicated within its group: a request's repeats share its session's group, a take-over's its own.
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings, consumer_timeout_seconds: int) -> None:
        super().__init__(scope, id)
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            queue_name=f"{settings.prefix}-requests-dead.fifo",
            fifo=True,
            retention_period=Duration.days(14),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=settings.local is None,
        )
        self.queue = sqs.Queue(
            self,
            "Requests",
            queue_name=f"{settings.prefix}-requests.fifo",
            fifo=True,
            deduplication_scope=sqs.DeduplicationScope.MESSAGE_GROUP,
            fifo_throughput_limit=sqs.FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
            # Six times the consumer's timeout, as Lambda's guide asks. No client waits for it: see docs/delivery.md.
            visibility_timeout=Duration.seconds(6 * consumer_timeout_seconds),
            # Lambda's guide asks for five or more: a delivery that Lambda had no execution for counts too.
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead_letters, max_receive_count=5),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=settings.local is None,
        )

    @property
    def outputs(self) -> dict[str, str]:
        return {"RequestsQueueUrl": self.queue.queue_url, "DeadLetterQueueUrl": self.dead_letters.queue_url}
