"""What docs/operations/promises.md promises of each stage, read from the stage's template.

A promise is about every resource of a kind, so that one which is added later has to keep it too. Where resources
differ, the value names all that was found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cicada.settings import ConversationSettings, load
from tests.infra.deployed import Deployed, Properties

_UNITS = {"day": 86400, "hour": 3600, "minute": 60}
_SQS_DEFAULT_SECONDS = 4 * 86400
_PROCESSOR, _INGEST = "message-processor", "ingest-document"
_SECURED = {"AWS::S3::Bucket": "s3:*", "AWS::SQS::Queue": "sqs:*", "AWS::SNS::Topic": "sns:Publish"}
_POLICIES = {"AWS::S3::BucketPolicy": "Bucket", "AWS::SQS::QueuePolicy": "Queues", "AWS::SNS::TopicPolicy": "Topics"}


def only(values: Iterable[str]) -> str:
    """What all have, or everything that some have."""
    return "; ".join(sorted(set(values))) or "nothing has it"


def span(seconds: int) -> str:
    """The time in the largest unit that is whole."""
    for unit, length in _UNITS.items():
        if seconds % length == 0:
            return f"{seconds // length} {unit}{'s' if seconds != length else ''}"
    return f"{seconds} seconds"


def accounts(stage: Deployed) -> str:
    by_administrator = {True: "an administrator", None: "anybody", False: "anybody"}
    pools = stage.of_kind("AWS::Cognito::UserPool")
    return only(
        by_administrator[each.get("AdminCreateUserConfig", {}).get("AllowAdminCreateUserOnly")] for _, each in pools
    )


def passwords(stage: Deployed) -> str:
    def of(pool: Properties) -> str:
        policy = pool["Policies"]["PasswordPolicy"]
        kinds = ("Lowercase", "Uppercase", "Numbers", "Symbols")
        required = [kind.lower() for kind in kinds if policy.get(f"Require{kind}")]
        return f"{policy['MinimumLength']} characters: {', '.join(required)}"

    return only(of(pool) for _, pool in stage.of_kind("AWS::Cognito::UserPool"))


def initial_passwords(stage: Deployed) -> str:
    policies = [each["Policies"]["PasswordPolicy"] for _, each in stage.of_kind("AWS::Cognito::UserPool")]
    return only(span(each.get("TemporaryPasswordValidityDays", 7) * 86400) for each in policies)


def sign_in(stage: Deployed) -> str:
    def of(client: Properties) -> str:
        flows = sorted(flow.removeprefix("ALLOW_").removesuffix("_AUTH") for flow in client["ExplicitAuthFlows"])
        secret = "with a secret" if client.get("GenerateSecret") else "no client secret"
        return ", ".join([*(flow.lower().replace("_", " ") for flow in flows), secret])

    return only(of(client) for _, client in stage.of_kind("AWS::Cognito::UserPoolClient"))


def second_step(stage: Deployed) -> str:
    def of(pool: Properties) -> str:
        names = {"OFF": "off", "OPTIONAL": "each user's choice", "ON": "required"}
        apps = pool.get("EnabledMfas") == ["SOFTWARE_TOKEN_MFA"]
        return names[pool.get("MfaConfiguration", "OFF")] + (", by an authenticator app" if apps else "")

    return only(of(pool) for _, pool in stage.of_kind("AWS::Cognito::UserPool"))


def rotation(stage: Deployed) -> str:
    def of(client: Properties) -> str:
        found = client.get("RefreshTokenRotation", {"Feature": "DISABLED"})
        return span(found["RetryGracePeriodSeconds"]) if found["Feature"] == "ENABLED" else "until it expires"

    return only(of(client) for _, client in stage.of_kind("AWS::Cognito::UserPoolClient"))


def unknown_users(stage: Deployed) -> str:
    clients = stage.of_kind("AWS::Cognito::UserPoolClient")
    hidden = {"ENABLED": "not said", "LEGACY": "said", None: "said"}
    return only(hidden[client.get("PreventUserExistenceErrors")] for _, client in clients)


def token_validity(kind: str) -> Callable[[Deployed], str]:
    def of(client: Properties) -> str:
        unit = client["TokenValidityUnits"][kind].removesuffix("s")
        return span(client[f"{kind}Validity"] * _UNITS[unit])

    return lambda stage: only(of(client) for _, client in stage.of_kind("AWS::Cognito::UserPoolClient"))


def of_page(id: str) -> bool:
    """Is it a resource of the page, which holds nothing of users?"""
    return id.startswith("Page")


def public_access(stage: Deployed) -> str:
    ways = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
    blocks = [each.get("PublicAccessBlockConfiguration", {}) for _, each in stage.of_kind("AWS::S3::Bucket")]
    return only("blocked" if all(block.get(way) for way in ways) else "possible" for block in blocks)


def object_keys(stage: Deployed) -> str:
    def of(bucket: Properties) -> Iterable[str]:
        for rule in bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]:
            yield {"AES256": "S3's own (AES-256)"}[rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"]]

    return only(key for _, bucket in stage.of_kind("AWS::S3::Bucket") for key in of(bucket))


def table_keys(stage: Deployed) -> str:
    specifications = [each.get("SSESpecification", {}) for _, each in stage.of_kind("AWS::DynamoDB::GlobalTable")]
    return only(
        "the account's `aws/dynamodb`" if each.get("SSEEnabled") else "DynamoDB's own" for each in specifications
    )


def queue_keys(stage: Deployed) -> str:
    queues = stage.of_kind("AWS::SQS::Queue")
    return only("SQS's own" if queue.get("SqsManagedSseEnabled") else "none" for _, queue in queues)


def collection_policy(kind: str, values: Mapping[bool, str], name: str) -> Callable[[Deployed], str]:
    """A yes or no in the security policies of this kind, if one of them covers every collection."""

    def of(stage: Deployed) -> str:
        policies = [each for _, each in stage.of_kind("AWS::OpenSearchServerless::SecurityPolicy")]
        texts = [json.loads(each["Policy"]) for each in policies if each["Type"] == kind]
        parts = [part for text in texts for part in (text if isinstance(text, list) else [text])]
        covered = {resource for part in parts for rule in part["Rules"] for resource in rule["Resource"]}
        names = [each["Name"] for _, each in stage.of_kind("AWS::OpenSearchServerless::Collection")]
        assert {f"collection/{each}" for each in names} <= covered
        return only(values[part[name]] for part in parts)

    return of


def without_tls(stage: Deployed) -> str:
    """Buckets, queues and topics that no policy protects are named."""
    refusing = {
        (statement["Action"], json.dumps(resource))
        for kind, attached in _POLICIES.items()
        for _, policy in stage.of_kind(kind)
        for statement in policy["PolicyDocument"]["Statement"]
        if _refuses_plain_http(statement)
        for resource in (policy[attached] if isinstance(policy[attached], list) else [policy[attached]])
    }
    for kind, action in _SECURED.items():
        for id, _ in stage.of_kind(kind):
            if (action, json.dumps({"Ref": id})) not in refusing:
                return f"{id} answers"
    return "refused"


def _refuses_plain_http(statement: Mapping[str, Any]) -> bool:
    everybody = statement["Principal"] in ("*", {"AWS": "*"})
    over_http = statement.get("Condition") == {"Bool": {"aws:SecureTransport": "false"}}
    return statement["Effect"] == "Deny" and everybody and over_http


def requests_kept(stage: Deployed) -> str:
    environment = stage.environment("ws-message")
    return span(load(ConversationSettings, environment).retention_seconds)


def expiring_tables(stage: Deployed) -> str:
    tables = zip(stage.tables(), stage.of_kind("AWS::DynamoDB::GlobalTable"), strict=True)
    return ", ".join(
        sorted(name for name, (_, each) in tables if each.get("TimeToLiveSpecification", {}).get("Enabled"))
    )


def queued(function: str) -> Callable[[Deployed], str]:
    """How long what waits for the function is kept."""

    def of(stage: Deployed) -> str:
        queue = stage.resources[stage.queues_of(function)[0]]["Properties"]
        return span(queue.get("MessageRetentionPeriod", _SQS_DEFAULT_SECONDS))

    return of


def dead_letters(stage: Deployed) -> str:
    ids = [stage.queues_of(function)[1] for function in (_PROCESSOR, _INGEST)]
    queues = [stage.resources[id]["Properties"] for id in ids]
    return only(span(queue.get("MessageRetentionPeriod", _SQS_DEFAULT_SECONDS)) for queue in queues)


def deliveries(function: str) -> Callable[[Deployed], str]:
    def of(stage: Deployed) -> str:
        return str(stage.resources[stage.queues_of(function)[0]]["Properties"]["RedrivePolicy"]["maxReceiveCount"])

    return of


def logs(stage: Deployed) -> str:
    return only(_kept_for(each) for id, each in stage.of_kind("AWS::Logs::LogGroup") if not of_audit(id))


def audit_log(stage: Deployed) -> str:
    return only(_kept_for(each) for id, each in stage.of_kind("AWS::Logs::LogGroup") if of_audit(id))


def audit_log_protected(stage: Deployed) -> str:
    groups = [each for id, each in stage.of_kind("AWS::Logs::LogGroup") if of_audit(id)]
    return only("on" if each.get("DeletionProtectionEnabled") else "off" for each in groups)


def of_audit(id: str) -> bool:
    """Is it the log of the audit trail?"""
    return id.startswith("Audit")


def _kept_for(group: Properties) -> str:
    return span(group["RetentionInDays"] * 86400) if "RetentionInDays" in group else "for ever"


def versions(stage: Deployed) -> str:
    def of(bucket: Properties) -> str:
        if "Enabled" not in bucket.get("VersioningConfiguration", {}).values():
            return "none"
        days = [
            rule["NoncurrentVersionExpiration"]["NoncurrentDays"]
            for rule in bucket["LifecycleConfiguration"]["Rules"]
            if "NoncurrentVersionExpiration" in rule and "Prefix" not in rule
        ]
        return f"kept for {span(min(days) * 86400)}" if days else "kept for ever"

    return only(of(bucket) for id, bucket in stage.of_kind("AWS::S3::Bucket") if not of_page(id))


def unfinished_uploads(stage: Deployed) -> str:
    def of(bucket: Properties) -> str:
        rules = bucket.get("LifecycleConfiguration", {}).get("Rules", [])
        days = [each["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"] for each in rules if len(each) == 3]
        return span(min(days) * 86400) if days else "ever"

    return only(of(bucket) for id, bucket in stage.of_kind("AWS::S3::Bucket") if not of_page(id))


def accounts_protected(stage: Deployed) -> str:
    pools = stage.of_kind("AWS::Cognito::UserPool")
    return only({"ACTIVE": "on"}.get(each.get("DeletionProtection", ""), "off") for _, each in pools)


def of_every_replica(named: Callable[[Properties], object]) -> Callable[[Deployed], str]:
    def of(stage: Deployed) -> str:
        tables = stage.of_kind("AWS::DynamoDB::GlobalTable")
        return only("on" if named(replica) else "off" for _, table in tables for replica in table["Replicas"])

    return of


def after_deletion(*kinds: str, audit: bool = False) -> Callable[[Deployed], str]:
    """What becomes of these resources when the stack is deleted, or replaces them."""

    def of(stage: Deployed) -> str:
        policies = [
            resource.get(policy, "Delete")
            for id, resource in stage.resources.items()
            if resource["Type"] in kinds and not of_page(id) and of_audit(id) == audit
            for policy in ("DeletionPolicy", "UpdateReplacePolicy")
        ]
        kept = {"Delete": "deleted", "Retain": "kept", "RetainExceptOnCreate": "kept"}
        return only(kept[policy] for policy in policies)

    return of


def page_files_after_deletion(stage: Deployed) -> str:
    """A bucket can only be deleted when it is empty, so something has to empty it."""
    emptied = {each["BucketName"]["Ref"] for _, each in stage.of_kind("Custom::S3AutoDeleteObjects")}
    buckets = [id for id, _ in stage.of_kind("AWS::S3::Bucket") if of_page(id)]
    deleted = {id for id in buckets if stage.resources[id]["DeletionPolicy"] == "Delete"} & emptied
    return only("deleted" if id in deleted else "kept" for id in buckets)


def page_over_http(stage: Deployed) -> str:
    ways = {"redirect-to-https": "redirected to HTTPS", "https-only": "refused", "allow-all": "answered"}
    found = [each["DistributionConfig"] for _, each in stage.of_kind("AWS::CloudFront::Distribution")]
    behaviors = [behavior for each in found for behavior in (each["DefaultCacheBehavior"], *each["CacheBehaviors"])]
    return only(ways[each["ViewerProtocolPolicy"]] for each in behaviors)


def page_security(read: Callable[[Properties], str]) -> Callable[[Deployed], str]:
    def of(stage: Deployed) -> str:
        policies = [each for _, each in stage.of_kind("AWS::CloudFront::ResponseHeadersPolicy")]
        return only(read(each["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]) for each in policies)

    return of


def https_remembered(security: Properties) -> str:
    return span(security["StrictTransportSecurity"]["AccessControlMaxAgeSec"])


def framing(security: Properties) -> str:
    policy = json.dumps(security["ContentSecurityPolicy"])
    return "nobody" if "frame-ancestors 'none'" in policy else "somebody"


def throttle(stage: Deployed) -> str:
    settings = [each.get("DefaultRouteSettings", {}) for _, each in stage.of_kind("AWS::ApiGatewayV2::Stage")]
    limits = [(each.get("ThrottlingRateLimit", 0), each.get("ThrottlingBurstLimit", 0)) for each in settings]
    return only(f"{rate:,} a second, {burst:,} at once" for rate, burst in limits)


def time_of(*functions: str) -> Callable[[Deployed], str]:
    return lambda stage: only(span(stage.functions()[function]["Timeout"]) for function in functions)


def kept_vectors(stage: Deployed) -> str:
    rules = [
        rule
        for _, bucket in stage.of_kind("AWS::S3::Bucket")
        for rule in bucket.get("LifecycleConfiguration", {}).get("Rules", ())
        if rule.get("Prefix") == "vectors/"
    ]
    days = {rule["NoncurrentVersionExpiration"]["NoncurrentDays"] for rule in rules}
    return only(span(rule["ExpirationInDays"] * 86_400) for rule in rules if days == {rule["ExpirationInDays"]})


def ingest_share(stage: Deployed) -> str:
    memory = stage.functions()[_INGEST]["MemorySize"]
    return only(f"{mapping['BatchSize']} files, {memory:,} MB" for mapping in stage.mappings_of(_INGEST))


def memory(stage: Deployed) -> str:
    others = [each for name, each in stage.functions().items() if name != _INGEST]
    return only(f"{each['MemorySize']:,} MB" for each in others)


def capacity(stage: Deployed) -> str:
    limits = [each["CapacityLimits"] for _, each in stage.of_kind("AWS::OpenSearchServerless::CollectionGroup")]
    return only(
        f"{each['MaxIndexingCapacityInOcu']} + {each['MaxSearchCapacityInOcu']} capacity units" for each in limits
    )


def standby(stage: Deployed) -> str:
    kinds = ("AWS::OpenSearchServerless::CollectionGroup", "AWS::OpenSearchServerless::Collection")
    names = {"ENABLED": "on", "DISABLED": "off"}
    return only(names[each["StandbyReplicas"]] for _, each in stage.of_kind(*kinds))


def agent_sessions(stage: Deployed) -> str:
    return only(span(agent["IdleSessionTTLInSeconds"]) for _, agent in stage.of_kind("AWS::Bedrock::Agent"))


PROMISES: dict[str, Callable[[Deployed], str]] = {
    "accounts are made by": accounts,
    "a password has at least": passwords,
    "an initial password is valid for": initial_passwords,
    "ways to sign in": sign_in,
    "a second step of sign-in is": second_step,
    "a refresh token that was used is still taken for": rotation,
    "whether a user name exists is": unknown_users,
    "an access token is valid for": token_validity("AccessToken"),
    "a refresh token is valid for": token_validity("RefreshToken"),
    "public access to the buckets": public_access,
    "requests without TLS to the buckets, queues and topic": without_tls,
    "the collection is reached from": collection_policy(
        "network", {True: "anywhere, with signed requests", False: "a VPC"}, "AllowFromPublic"
    ),
    "requests of the page without TLS are": page_over_http,
    "browsers ask for the page by TLS alone for": page_security(https_remembered),
    "the page may be framed by": page_security(framing),
    "keys of the buckets": object_keys,
    "keys of the tables": table_keys,
    "keys of the queues": queue_keys,
    "keys of the collection": collection_policy("encryption", {True: "AWS's own"}, "AWSOwnedKey"),
    "vectors of an unfinished ingest are kept for": kept_vectors,
    "requests and answers are kept for": requests_kept,
    "tables whose rows are deleted when they expire": expiring_tables,
    "a request waits in its queue for at most": queued(_PROCESSOR),
    "a changed document waits in its queue for at most": queued(_INGEST),
    "dead letters are kept for": dead_letters,
    "deliveries of a request": deliveries(_PROCESSOR),
    "deliveries of a changed document": deliveries(_INGEST),
    "logs are kept for": logs,
    "the audit trail is kept for": audit_log,
    "deletion protection of the audit trail": audit_log_protected,
    "earlier versions of documents": versions,
    "parts of an upload that was not finished are kept for": unfinished_uploads,
    "deletion protection of the accounts": accounts_protected,
    "point-in-time recovery of the tables": of_every_replica(
        lambda replica: replica.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled")
    ),
    "deletion protection of the tables": of_every_replica(lambda replica: replica.get("DeletionProtectionEnabled")),
    "with the stack, tables, documents and accounts are": after_deletion(
        "AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::Cognito::UserPool"
    ),
    "with the stack, the page's files are": page_files_after_deletion,
    "with the stack, the audit trail is": after_deletion("AWS::Logs::LogGroup", audit=True),
    "with the stack, queues and other logs are": after_deletion("AWS::SQS::Queue", "AWS::Logs::LogGroup"),
    "the API takes frames": throttle,
    "a command takes at most": time_of("ws-message", "ws-resume", "ws-control"),
    "a connection is authorized, opened and closed in at most": time_of("authorizer", "ws-connect", "ws-disconnect"),
    "an answer takes at most": time_of(_PROCESSOR),
    "an ingest takes at most": time_of(_INGEST),
    "an ingest has": ingest_share,
    "every other function has": memory,
    "an agent's tool takes at most": time_of("agent-profiles"),
    "an agent's search takes at most": time_of("agent-theories"),
    "an agent forgets a session that rests for": agent_sessions,
    "indexing and search use at most": capacity,
    "standby replicas of the collection": standby,
}
