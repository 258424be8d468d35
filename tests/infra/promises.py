"""What docs/operations/promises.md promises of each stage, read from the stage's template.

A promise is about every resource of a kind, so that one which is added later has to keep it too. Where resources
differ, the value names all that was found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from cicada.settings import ConversationSettings, load
from tests.infra.deployed import Deployed, Properties

_UNITS = {"day": 86400, "hour": 3600, "minute": 60}
DAY = _UNITS["day"]
SQS_DEFAULT_SECONDS = 4 * DAY
PROCESSOR, INGEST = "message-processor", "ingest-document"
AOSS, COGNITO = "AWS::OpenSearchServerless", "AWS::Cognito"
POOL, CLIENT = f"{COGNITO}::UserPool", f"{COGNITO}::UserPoolClient"
BUCKET, TABLE, QUEUE, TOPIC = "AWS::S3::Bucket", "AWS::DynamoDB::GlobalTable", "AWS::SQS::Queue", "AWS::SNS::Topic"
LOG = "AWS::Logs::LogGroup"
Read = Callable[[Properties], str]
Promise = Callable[[Deployed], str]


def span(seconds: int) -> str:
    """The time in the largest unit that is whole."""
    for unit, length in _UNITS.items():
        if seconds % length == 0:
            return f"{seconds // length} {unit}{'s' if seconds != length else ''}"
    return f"{seconds} seconds"


def of_page(id: str) -> bool:
    """Is it a resource of the page, which holds nothing of users?"""
    return id.startswith("Page")


def of_audit(id: str) -> bool:
    """Is it the log of the audit trail?"""
    return id.startswith("Audit")


def only(values: list[str]) -> str:
    """What all have, or everything that some have."""
    return "; ".join(sorted(set(values))) or "nothing has it"


def each(*kinds: str, read: Read, where: Callable[[str], bool] = lambda id: True) -> Promise:
    """What is read of every resource of these kinds whose id is meant."""
    return lambda stage: only([read(found) for id, found in stage.of_kind(*kinds) if where(id)])


def functions(*names: str, read: Read) -> Promise:
    """What is read of these functions; without names, of all but the ingest."""
    return lambda stage: only(
        [read(found) for name, found in stage.functions().items() if (name in names if names else name != INGEST)]
    )


def password(pool: Properties) -> str:
    policy = pool["Policies"]["PasswordPolicy"]
    kinds = ("Lowercase", "Uppercase", "Numbers", "Symbols")
    required = [kind.lower() for kind in kinds if policy.get(f"Require{kind}")]
    return f"{policy['MinimumLength']} characters: {', '.join(required)}"


passwords = each(POOL, read=password)


def sign_in(client: Properties) -> str:
    flows = sorted(flow.removeprefix("ALLOW_").removesuffix("_AUTH") for flow in client["ExplicitAuthFlows"])
    secret = "with a secret" if client.get("GenerateSecret") else "no client secret"
    return ", ".join([*(flow.lower().replace("_", " ") for flow in flows), secret])


def second_step(pool: Properties) -> str:
    names = {"OFF": "off", "OPTIONAL": "each user's choice", "ON": "required"}
    apps = pool.get("EnabledMfas") == ["SOFTWARE_TOKEN_MFA"]
    return names[pool.get("MfaConfiguration", "OFF")] + (", by an authenticator app" if apps else "")


def rotation(client: Properties) -> str:
    found = client.get("RefreshTokenRotation", {"Feature": "DISABLED"})
    return span(found["RetryGracePeriodSeconds"]) if found["Feature"] == "ENABLED" else "until it expires"


def validity(kind: str) -> Read:
    return lambda client: span(client[f"{kind}Validity"] * _UNITS[client["TokenValidityUnits"][kind].removesuffix("s")])


def public_access(bucket: Properties) -> str:
    ways = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
    block = bucket.get("PublicAccessBlockConfiguration", {})
    return "blocked" if all(block.get(way) for way in ways) else "possible"


def object_key(bucket: Properties) -> str:
    [rule] = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    return {"AES256": "S3's own (AES-256)"}[rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"]]


def collection_policy(kind: str, values: Mapping[bool, str], name: str) -> Promise:
    """A yes or no in the security policies of this kind, if one of them covers every collection."""

    def of(stage: Deployed) -> str:
        texts = [
            json.loads(found["Policy"])
            for _, found in stage.of_kind(f"{AOSS}::SecurityPolicy")
            if found["Type"] == kind
        ]
        parts = [part for text in texts for part in (text if isinstance(text, list) else [text])]
        covered = {resource for part in parts for rule in part["Rules"] for resource in rule["Resource"]}
        assert {f"collection/{found['Name']}" for _, found in stage.of_kind(f"{AOSS}::Collection")} <= covered
        return only([values[part[name]] for part in parts])

    return of


def without_tls(stage: Deployed) -> str:
    """Buckets, queues and topics that no policy protects are named."""
    actions = {BUCKET: "s3:*", QUEUE: "sqs:*", TOPIC: "sns:Publish"}
    attached = {"AWS::S3::BucketPolicy": "Bucket", "AWS::SQS::QueuePolicy": "Queues", "AWS::SNS::TopicPolicy": "Topics"}
    refusing = {
        (statement["Action"], json.dumps(resource))
        for kind, named in attached.items()
        for _, policy in stage.of_kind(kind)
        for statement in policy["PolicyDocument"]["Statement"]
        if refuses_plain_http(statement)
        for resource in (policy[named] if isinstance(policy[named], list) else [policy[named]])
    }
    secured = [(id, action) for kind, action in actions.items() for id, _ in stage.of_kind(kind)]
    answering = [id for id, action in secured if (action, json.dumps({"Ref": id})) not in refusing]
    return f"{answering} answer" if answering else "refused"


def refuses_plain_http(statement: Mapping[str, Any]) -> bool:
    everybody = statement["Principal"] in ("*", {"AWS": "*"})
    over_http = statement.get("Condition") == {"Bool": {"aws:SecureTransport": "false"}}
    return statement["Effect"] == "Deny" and everybody and over_http


def expiring_tables(stage: Deployed) -> str:
    tables = zip(stage.tables(), stage.of_kind(TABLE), strict=True)
    return ", ".join(
        sorted(name for name, (_, found) in tables if found.get("TimeToLiveSpecification", {}).get("Enabled"))
    )


def queue_of(function: str, read: Read, place: int = 0) -> Promise:
    """What is read of the queue that the function works off, or of the second one, which takes its dead letters."""
    return lambda stage: read(stage.resources[stage.queues_of(function)[place]]["Properties"])


def kept_message(queue: Properties) -> str:
    return span(queue.get("MessageRetentionPeriod", SQS_DEFAULT_SECONDS))


def deliveries(queue: Properties) -> str:
    return str(queue["RedrivePolicy"]["maxReceiveCount"])


def kept_log(group: Properties) -> str:
    return span(group["RetentionInDays"] * DAY) if "RetentionInDays" in group else "for ever"


def rules(bucket: Properties) -> list[Any]:
    found: list[Any] = bucket.get("LifecycleConfiguration", {}).get("Rules", [])
    return found


def versions(bucket: Properties) -> str:
    if "Enabled" not in bucket.get("VersioningConfiguration", {}).values():
        return "none"
    of_all = [rule for rule in rules(bucket) if "NoncurrentVersionExpiration" in rule and "Prefix" not in rule]
    days = [rule["NoncurrentVersionExpiration"]["NoncurrentDays"] for rule in of_all]
    return f"kept for {span(min(days) * DAY)}" if days else "kept for ever"


def unfinished_upload(bucket: Properties) -> str:
    days = [rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"] for rule in rules(bucket) if len(rule) == 3]
    return span(min(days) * DAY) if days else "ever"


def kept_vectors(bucket: Properties) -> str:
    found = {rule["Prefix"]: rule for rule in rules(bucket) if "Prefix" in rule}
    assert set(found) == {"scans/", "vectors/"}
    assert all(
        rule["NoncurrentVersionExpiration"]["NoncurrentDays"] == rule["ExpirationInDays"] for rule in found.values()
    )
    return only([span(rule["ExpirationInDays"] * DAY) for rule in found.values()])


def replicas(named: Callable[[Properties], object]) -> Promise:
    return each(TABLE, read=lambda table: only(["on" if named(found) else "off" for found in table["Replicas"]]))


def after_deletion(*kinds: str, audit: bool = False) -> Promise:
    """What becomes of these resources when the stack is deleted, or replaces them."""
    kept = {"Delete": "deleted", "Retain": "kept", "RetainExceptOnCreate": "kept"}
    return lambda stage: only(
        [
            kept[stage.resources[id].get(policy, "Delete")]
            for id, _ in stage.of_kind(*kinds)
            if not of_page(id) and of_audit(id) == audit
            for policy in ("DeletionPolicy", "UpdateReplacePolicy")
        ]
    )


def page_files_after_deletion(stage: Deployed) -> str:
    """A bucket can only be deleted when it is empty, so something has to empty it."""
    emptied = {found["BucketName"]["Ref"] for _, found in stage.of_kind("Custom::S3AutoDeleteObjects")}
    deleted = {id for id, _ in stage.of_kind(BUCKET) if stage.resources[id].get("DeletionPolicy") == "Delete"}
    return only(["deleted" if id in deleted & emptied else "kept" for id, _ in stage.of_kind(BUCKET) if of_page(id)])


def page_over_http(distribution: Properties) -> str:
    ways = {"redirect-to-https": "redirected to HTTPS", "https-only": "refused", "allow-all": "answered"}
    config = distribution["DistributionConfig"]
    behaviors = (config["DefaultCacheBehavior"], *config["CacheBehaviors"])
    return only([ways[behavior["ViewerProtocolPolicy"]] for behavior in behaviors])


def page_security(read: Read) -> Promise:
    kind = "AWS::CloudFront::ResponseHeadersPolicy"
    return each(kind, read=lambda found: read(found["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]))


def framing(security: Properties) -> str:
    return "nobody" if "frame-ancestors 'none'" in json.dumps(security["ContentSecurityPolicy"]) else "somebody"


def throttle(api: Properties) -> str:
    settings = api.get("DefaultRouteSettings", {})
    rate, burst = settings.get("ThrottlingRateLimit", 0), settings.get("ThrottlingBurstLimit", 0)
    return f"{rate:,} a second, {burst:,} at once"


def ingest_share(stage: Deployed) -> str:
    memory = stage.functions()[INGEST]["MemorySize"]
    return only([f"{mapping['BatchSize']} files, {memory:,} MB" for mapping in stage.mappings_of(INGEST)])


def capacity(group: Properties) -> str:
    limits = group["CapacityLimits"]
    return f"{limits['MaxIndexingCapacityInOcu']} + {limits['MaxSearchCapacityInOcu']} capacity units"


def timeout(function: Properties) -> str:
    return span(function["Timeout"])


def on(name: str, value: object = True) -> Read:
    return lambda found: "on" if found.get(name) == value else "off"


def of_data(id: str) -> bool:
    return not of_page(id)


PROMISES: dict[str, Promise] = {
    "accounts are made by": each(
        POOL,
        read=lambda pool: (
            "an administrator" if pool.get("AdminCreateUserConfig", {}).get("AllowAdminCreateUserOnly") else "anybody"
        ),
    ),
    "a password has at least": passwords,
    "an initial password is valid for": each(
        POOL, read=lambda pool: span(pool["Policies"]["PasswordPolicy"].get("TemporaryPasswordValidityDays", 7) * DAY)
    ),
    "ways to sign in": each(CLIENT, read=sign_in),
    "a second step of sign-in is": each(POOL, read=second_step),
    "a refresh token that was used is still taken for": each(CLIENT, read=rotation),
    "whether a user name exists is": each(
        CLIENT, read=lambda client: "not said" if client.get("PreventUserExistenceErrors") == "ENABLED" else "said"
    ),
    "an access token is valid for": each(CLIENT, read=validity("AccessToken")),
    "a refresh token is valid for": each(CLIENT, read=validity("RefreshToken")),
    "public access to the buckets": each(BUCKET, read=public_access),
    "requests without TLS to the buckets, queues and topic": without_tls,
    "the collection is reached from": collection_policy(
        "network", {True: "anywhere, with signed requests", False: "a VPC"}, "AllowFromPublic"
    ),
    "requests of the page without TLS are": each("AWS::CloudFront::Distribution", read=page_over_http),
    "browsers ask for the page by TLS alone for": page_security(
        lambda security: span(security["StrictTransportSecurity"]["AccessControlMaxAgeSec"])
    ),
    "the page may be framed by": page_security(framing),
    "keys of the buckets": each(BUCKET, read=object_key),
    "keys of the tables": each(
        TABLE,
        read=lambda table: (
            "the account's `aws/dynamodb`" if table.get("SSESpecification", {}).get("SSEEnabled") else "DynamoDB's own"
        ),
    ),
    "keys of the queues": each(QUEUE, read=lambda queue: "SQS's own" if queue.get("SqsManagedSseEnabled") else "none"),
    "keys of the collection": collection_policy("encryption", {True: "AWS's own"}, "AWSOwnedKey"),
    "vectors of an unfinished ingest, and copies of scans, are kept for": each(
        BUCKET, read=kept_vectors, where=of_data
    ),
    "requests and answers are kept for": lambda stage: span(
        load(ConversationSettings, stage.environment("ws-message")).retention_seconds
    ),
    "tables whose rows are deleted when they expire": expiring_tables,
    "a request waits in its queue for at most": queue_of(PROCESSOR, kept_message),
    "a changed document waits in its queue for at most": queue_of(INGEST, kept_message),
    "dead letters are kept for": lambda stage: only(
        [queue_of(function, kept_message, 1)(stage) for function in (PROCESSOR, INGEST)]
    ),
    "deliveries of a request": queue_of(PROCESSOR, deliveries),
    "deliveries of a changed document": queue_of(INGEST, deliveries),
    "logs are kept for": each(LOG, read=kept_log, where=lambda id: not of_audit(id)),
    "the audit trail is kept for": each(LOG, read=kept_log, where=of_audit),
    "deletion protection of the audit trail": each(LOG, read=on("DeletionProtectionEnabled"), where=of_audit),
    "earlier versions of documents": each(BUCKET, read=versions, where=of_data),
    "parts of an upload that was not finished are kept for": each(BUCKET, read=unfinished_upload, where=of_data),
    "deletion protection of the accounts": each(POOL, read=on("DeletionProtection", "ACTIVE")),
    "point-in-time recovery of the tables": replicas(
        lambda replica: replica.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled")
    ),
    "deletion protection of the tables": replicas(lambda replica: replica.get("DeletionProtectionEnabled")),
    "with the stack, tables, documents and accounts are": after_deletion(TABLE, BUCKET, POOL),
    "with the stack, the page's files are": page_files_after_deletion,
    "with the stack, the audit trail is": after_deletion(LOG, audit=True),
    "with the stack, queues and other logs are": after_deletion(QUEUE, LOG),
    "the API takes frames": each("AWS::ApiGatewayV2::Stage", read=throttle),
    "a command takes at most": functions("ws-message", "ws-resume", "ws-control", read=timeout),
    "a connection is authorized, opened and closed in at most": functions(
        "authorizer", "ws-connect", "ws-disconnect", read=timeout
    ),
    "an answer takes at most": functions(PROCESSOR, read=timeout),
    "an ingest takes at most": functions(INGEST, read=timeout),
    "an ingest has": ingest_share,
    "every other function has": functions(read=lambda function: f"{function['MemorySize']:,} MB"),
    "an agent's tool takes at most": functions("agent-profiles", read=timeout),
    "an agent's search takes at most": functions("agent-theories", read=timeout),
    "an agent forgets a session that rests for": each(
        "AWS::Bedrock::Agent", read=lambda agent: span(agent["IdleSessionTTLInSeconds"])
    ),
    "indexing and search use at most": each(f"{AOSS}::CollectionGroup", read=capacity),
    "standby replicas of the collection": each(
        f"{AOSS}::CollectionGroup", f"{AOSS}::Collection", read=on("StandbyReplicas", "ENABLED")
    ),
}
