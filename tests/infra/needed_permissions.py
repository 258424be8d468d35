"""What each role of a deployed stage must be able to do: nothing less, and nothing more.

What a function needs is what its code calls: the end-to-end tests record every call of every function and compare
(tests/e2e/test_permissions.py). A need that the local stage cannot show says why not. Resources are named as in
tests/infra/names.py. Some calls are not named as the action that allows them: a DynamoDB transaction needs the actions
of its items, Converse needs `bedrock:InvokeModel`, a client's `list_objects_v2` `s3:ListBucket`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from infra.model_regions import model_regions
from infra.settings import StageSettings


@dataclass(frozen=True, slots=True)
class Need:
    """`unseen`: why no call on the local stage can show the need, empty if one does.

    `context`: the condition keys that the call comes with, and without which it is refused.
    """

    action: str
    resource: str
    unseen: str = ""
    context: tuple[tuple[str, str], ...] = ()


Needs = frozenset[Need]

# The CDK's own functions, by their ids: they set a bucket's notification, copy the page's files, and empty buckets.
_NOTIFIER = "BucketNotificationsHandler050a0587b7544547bf325f094a3db834"
_COPIER = "CustomCDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C512MiB"
_EMPTIER = "CustomS3AutoDeleteObjectsCustomResourceProviderHandler"
API_LOGS = "API logs"

CONNECTIONS, REQUESTS, ENTRIES = "connections table", "requests table", "entries table"
ACCESS_LISTS = "readers table"
POSTING = "arn:aws:execute-api:REGION:ACCOUNT:WebSocketApi/v1/POST/@connections/*"
CLOSING = "arn:aws:execute-api:REGION:ACCOUNT:WebSocketApi/v1/DELETE/@connections/*"
_MISSING_FILES = "no call: S3 answers 404 instead of 403 for a missing file to who may list"
_VERSIONED = "the bucket of a local stage keeps no versions"
_FEW_CONNECTIONS = "A user of the local stage may have 1,000 connections; nobody has."
BUCKET, PAGE, TRAIL = "documents bucket", "page bucket", "trail bucket"
_UNCOUNTED = "The local stage has no limit of tokens, and counts none."
_ONLY_TAKEN_BACK = "What was made of an account is deleted where a step of its creation fails."
_LOGGED = "Lambda writes the log with the function's role; the emulator writes it by itself."
_POLLED = "Lambda takes messages with the function's role; the emulator takes them by itself."
_NO_TEXTRACT = "The emulator has no Textract; tests/unit/adapters/test_textract.py has the calls."
_EMBEDDED = "The local stage searches an index of its own, for the emulator has no OpenSearch Serverless."
_ONLY_ON_REQUEST = "The local stage reranks by itself and writes no contexts and cards, as AWS stages may too."
_ONLY_ONCE = (
    "Evidence is searched for once, and the bases that come with CICADA name no language and no mode of routing."
)
_ONLY_WITH_A_PLAN_MODEL = "The local stage plans by rules, for the stand-in cannot plan."
_ONLY_AFTER_FAILURES = "Ingest hastens the redelivery of files that failed for a reason of ours; none does here."
_ONLY_LARGE = "Vectors are kept for files of more than 288 passages; the samples have fewer."
_BY_BEDROCK = "The stand-in plays the agents; on AWS Bedrock calls the model with the agent's role."
_BY_THE_API = "API Gateway writes its log with this role; the emulator writes none."
_DEPLOYED = "CloudFormation runs the function of the CDK at deployment."
_TRACED = "The X-Ray daemon sends traces with the function's role; the emulator has no daemon."
_ENCRYPTED = "The emulator encrypts nothing."
_CONNECTED = "Lambda connects functions to a VPC with their roles; the emulator has none."
_PROFILES = "The local stage's models are no inference profiles."
_PROFILE = re.compile(r"(us|us-gov|eu|apac|jp|au|ca|in|global)\.(.+)")
# https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-genref.html
# tests/contract/test_opensearch_serverless.py compares them with the requests.
SEARCHING = (("CreateIndex", "DescribeIndex", "ReadDocument"), ("CreateCollectionItems",))
INDEXING = (
    ("CreateIndex", "DeleteIndex", "DescribeIndex", "ReadDocument", "WriteDocument"),
    ("CreateCollectionItems", "DeleteCollectionItems", "DescribeCollectionItems"),
)


# What each function needs of the data key, by action and the services that ask for it on the function's behalf.
_TABLES, _RECEIVED = ("kms:Decrypt", "dynamodb"), ("kms:Decrypt", "sqs")
_SENT = (_RECEIVED, ("kms:GenerateDataKey", "sqs"))
_OF_THE_KEY: Mapping[str, tuple[tuple[str, str], ...]] = {
    "ws_connect": (_TABLES,),
    "ws_disconnect": (_TABLES,),
    "ws_message": (_TABLES, *_SENT),
    "ws_resume": (_TABLES, *_SENT),
    "ws_control": (_TABLES,),
    "ws_open": (_TABLES,),
    "ws_sign_out": (_TABLES,),
    "ws_admin": (_TABLES,),
    # It takes requests, and gives them up to the dead letters.
    "message_processor": (_TABLES, *_SENT),
    "agent_profiles": (_TABLES,),
    "agent_theories": (_TABLES,),
    # It reads and writes objects.
    "ingest_document": (_TABLES, _RECEIVED, ("kms:Decrypt", "s3"), ("kms:GenerateDataKey", "s3")),
}


def needed(settings: StageSettings) -> Mapping[str, Needs]:
    """The needs of each role. The functions are named as their folders."""
    return {role: needs | _of_the_key(settings, role) for role, needs in _needed(settings).items()}


def _of_the_key(settings: StageSettings, role: str) -> Needs:
    """Who searches needs nothing of the collection's key: OpenSearch Serverless has a grant."""
    if not settings.data_key:
        return frozenset()
    key = "data key" if settings.data_key == "create" else settings.data_key
    found = {
        Need(action, key, _ENCRYPTED, (("kms:ViaService", f"{service}.REGION.amazonaws.com"),))
        for action, service in _OF_THE_KEY.get(role, ())
    }
    by_s3 = (("kms:ViaService", "s3.REGION.amazonaws.com"),)
    if role == "ws_open" and (settings.originals or settings.editors):
        found.add(Need("kms:Decrypt", key, _ENCRYPTED, by_s3))
    if role == "ws_open" and settings.editors:
        found.add(Need("kms:GenerateDataKey", key, _ENCRYPTED, by_s3))
    if role == "message_processor" and settings.agents == "bedrock":
        agents = [("kms:EncryptionContext:aws:bedrock:arn", f"{name} agent") for name in ("profiles", "theories")]
        actions = ("kms:Decrypt", "kms:GenerateDataKey")
        found |= {Need(action, key, _ENCRYPTED, (agent,)) for action in actions for agent in agents}
    return frozenset(found)


def _needed(settings: StageSettings) -> Mapping[str, Needs]:
    return {
        "authorizer": _runs("authorizer") | _auditing(settings),
        "ws_connect": _runs("ws_connect")
        | _auditing(settings)
        | _on(CONNECTIONS, "dynamodb:PutItem")
        | _on(f"{CONNECTIONS}/index/owners", "dynamodb:Query")
        | _on(REQUESTS, "dynamodb:UpdateItem")
        # The user's oldest idle connection makes room for a new one.
        | _on(REQUESTS, "dynamodb:GetItem", unseen=_FEW_CONNECTIONS)
        | _on(CONNECTIONS, "dynamodb:DeleteItem", unseen=_FEW_CONNECTIONS)
        | _on(POSTING, "execute-api:ManageConnections", unseen=_FEW_CONNECTIONS)
        | _on(CLOSING, "execute-api:ManageConnections", unseen=_FEW_CONNECTIONS),
        "ws_disconnect": _runs("ws_disconnect") | _on(CONNECTIONS, "dynamodb:DeleteItem"),
        "ws_message": _command("ws_message")
        | _auditing(settings)
        # A repeated message is answered as `resume` is.
        | _on(REQUESTS, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
        | _on("request queue", "sqs:SendMessage")
        | _on(POSTING, "execute-api:ManageConnections"),
        "ws_resume": _command("ws_resume")
        | _auditing(settings)
        | _on(REQUESTS, "dynamodb:Query", "dynamodb:UpdateItem")
        | _on("request queue", "sqs:SendMessage")
        | _on(POSTING, "execute-api:ManageConnections"),
        "ws_control": _command("ws_control")
        | _on(POSTING, "execute-api:ManageConnections")
        | _auditing(settings)
        | _on(REQUESTS, "dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem")
        # A session that its user deletes, with its requests.
        | _on(REQUESTS, "dynamodb:BatchWriteItem")
        # All that is kept of the user.
        | _on(ENTRIES, "dynamodb:BatchWriteItem", "dynamodb:Query")
        | _on(f"{REQUESTS}/index/history", "dynamodb:Query"),
        "ws_open": _command("ws_open")
        | _auditing(settings)
        # What a list was made from.
        | _on(REQUESTS, "dynamodb:GetItem", "dynamodb:UpdateItem")
        | _on(POSTING, "execute-api:ManageConnections")
        | _giving_originals(settings)
        | _editing(settings)
        | _in_collection(settings, *SEARCHING),
        "ws_sign_out": _runs("ws_sign_out")
        | _on(CONNECTIONS, "dynamodb:GetItem", "dynamodb:DeleteItem")
        | _on(f"{CONNECTIONS}/index/owners", "dynamodb:Query")
        | _on(REQUESTS, "dynamodb:GetItem", "dynamodb:UpdateItem")
        | _on("user pool", "cognito-idp:AdminUserGlobalSignOut")
        | _on(POSTING, "execute-api:ManageConnections")
        | _on(CLOSING, "execute-api:ManageConnections"),
        "ws_admin": _runs("ws_admin")
        | _auditing(settings)
        | _on(CONNECTIONS, "dynamodb:GetItem", "dynamodb:DeleteItem")
        | _on(REQUESTS, "dynamodb:UpdateItem")
        | _on(POSTING, "execute-api:ManageConnections")
        | _on(CLOSING, "execute-api:ManageConnections")
        | _administering(settings),
        "message_processor": _runs("message_processor")
        | _auditing(settings)
        | _polling("request queue")
        # The queries include the turns of the session before the question.
        | _on(REQUESTS, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
        | _on(f"{REQUESTS}/index/history", "dynamodb:Query")
        | _withholding()
        | _comparing()
        | _on(POSTING, "execute-api:ManageConnections")
        | _on("request dead letters", "sqs:SendMessage")
        | _keeping()
        | _chatting(settings)
        | _guarding(settings)
        | _judging(settings)
        | _planning(settings)
        | _agents(settings)
        | _searching(settings),
        **_agent_functions(settings),
        "ingest_document": _runs("ingest_document") | _polling("document changes") | _storing() | _ingesting(settings),
        **_agent_roles(settings),
        _NOTIFIER: _on(BUCKET, "s3:PutBucketNotification", unseen=_DEPLOYED) | _logging_of_the_cdk(_NOTIFIER),
        **_copying(settings),
        **_emptying(settings),
        **_logging_of_the_api(settings),
    }


def _logging_of_the_cdk(function: str) -> Needs:
    return _on(f"log of {function}", "logs:CreateLogStream", "logs:PutLogEvents", unseen=_DEPLOYED)


def _copying(settings: StageSettings) -> Mapping[str, Needs]:
    """The CDK's function that copies the page's files at deployment."""
    if settings.local or not settings.addresses.has_page:
        return {}
    reading = ("s3:GetObject*", "s3:GetBucket*", "s3:List*")
    writing = ("DeleteObject*", "PutObject", "Abort*", "PutObjectLegalHold", "PutObjectRetention", "PutObjectTagging")
    written = (*reading, *(f"s3:{each}" for each in writing), "s3:PutObjectVersionTagging")
    assets = "arn:aws:s3:::cdk-hnb659fds-assets-ACCOUNT-REGION"
    return {
        _COPIER: _logging_of_the_cdk(_COPIER).union(
            *(_on(each, *reading, unseen=_DEPLOYED) for each in (assets, f"{assets}/*")),
            *(_on(each, *written, unseen=_DEPLOYED) for each in (PAGE, f"{PAGE}/*")),
        )
    }


def _emptying(settings: StageSettings) -> Mapping[str, Needs]:
    """The CDK's function that empties the buckets that are deleted with the stack."""
    trails = [TRAIL] * (settings.data_events == "create")
    buckets = [BUCKET, *trails] * (not settings.retain_data) + [PAGE] * settings.addresses.has_page
    if settings.local or not buckets:
        return {}
    actions = ("s3:PutBucketPolicy", "s3:GetBucket*", "s3:List*", "s3:DeleteObject*")
    return {
        _EMPTIER: _logging_of_the_cdk(_EMPTIER).union(
            *(_on(each, *actions, unseen=_DEPLOYED) for bucket in buckets for each in (bucket, f"{bucket}/*"))
        )
    }


def _logging_of_the_api(settings: StageSettings) -> Mapping[str, Needs]:
    """https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html."""
    if not settings.create_api_log_role:
        return {}
    read = ("DescribeLogGroups", "DescribeLogStreams", "FilterLogEvents", "GetLogEvents")
    write = ("CreateLogGroup", "CreateLogStream", "PutLogEvents")
    return {API_LOGS: _on("*", *(f"logs:{each}" for each in (*read, *write)), unseen=_BY_THE_API)}


def _on(resource: str, *actions: str, unseen: str = "") -> Needs:
    return frozenset(Need(action, resource, unseen) for action in actions)


def _runs(function: str) -> Needs:
    """What Lambda does for every function: its log and its traces. X-Ray knows no resources."""
    return _on(f"log of {function}", "logs:CreateLogStream", "logs:PutLogEvents", unseen=_LOGGED) | _on(
        "*", "xray:PutTraceSegments", "xray:PutTelemetryRecords", unseen=_TRACED
    )


def _auditing(settings: StageSettings) -> Needs:
    """The stream is made with the first record."""
    return _on("*" if settings.local else "audit log", "logs:CreateLogStream", "logs:PutLogEvents")


def _polling(queue: str) -> Needs:
    """https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-lambda-function-trigger.html."""
    return _on(queue, "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", unseen=_POLLED)


def _keeping() -> Needs:
    """Entries are changed in transactions."""
    return _on(ENTRIES, "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:Query")


def _command(function: str) -> Needs:
    """Who is on the connection that a command comes from? That of a user who floods or was signed out is closed."""
    closing = _on(CONNECTIONS, "dynamodb:DeleteItem") | _on(CLOSING, "execute-api:ManageConnections")
    return _runs(function) | _on(CONNECTIONS, "dynamodb:GetItem") | closing | _withholding()


def _comparing() -> Needs:
    """Does the index have what is kept? The names alone say so."""
    return frozenset({Need("s3:ListBucket", BUCKET, context=(("s3:prefix", "truth/acme/store/"),))})


def _giving_originals(settings: StageSettings) -> Needs:
    """Who has a signed address reads the file with the rights of the function that signed it."""
    if not settings.originals:
        return frozenset()
    listing = Need("s3:ListBucket", BUCKET, unseen=_MISSING_FILES, context=(("s3:prefix", "documents/acme/store/"),))
    version = _on(f"{BUCKET}/documents/*", "s3:GetObjectVersion", unseen=_VERSIONED)
    # Those of editors are seen.
    return _on(f"{BUCKET}/documents/*", "s3:GetObject") | version | (frozenset() if settings.editors else {listing})


def _editing(settings: StageSettings) -> Needs:
    """Editors have sidecars and reports read, files removed, and forms signed that files are sent by."""
    if not settings.editors:
        return frozenset()
    listing = frozenset(
        Need("s3:ListBucket", BUCKET, context=(("s3:prefix", f"{place}/acme/store/"),))
        for place in ("documents", "reports")
    )
    documents = _on(f"{BUCKET}/documents/*", "s3:DeleteObject", "s3:GetObject", "s3:PutObject")
    return documents | _on(f"{BUCKET}/reports/*", "s3:GetObject") | listing


def _administering(settings: StageSettings) -> Needs:
    """Administrators have accounts of the pool listed and changed, and what their users have open ended."""
    if not settings.administrators:
        return frozenset()
    account = ("AddUserToGroup", "CreateUser", "DisableUser", "EnableUser", "GetUser", "ListGroupsForUser")
    actions = [f"Admin{each}" for each in (*account, "RemoveUserFromGroup", "UserGlobalSignOut")]
    actions += ["CreateGroup", "GetGroup", "ListUsers", "ListUsersInGroup"]
    counted = _on(REQUESTS, "dynamodb:Query", unseen=_UNCOUNTED) if settings.tenant_tokens_per_day else frozenset()
    return (
        _on("user pool", *(f"cognito-idp:{each}" for each in actions))
        | _on("user pool", "cognito-idp:AdminDeleteUser", "cognito-idp:DeleteGroup", unseen=_ONLY_TAKEN_BACK)
        | _on(f"{CONNECTIONS}/index/owners", "dynamodb:Query")
        | _on(REQUESTS, "dynamodb:GetItem")
        # The requests of the tenant that were rated or have failed.
        | _on(f"{REQUESTS}/index/noted", "dynamodb:Query")
        | counted
    )


def _guarding(settings: StageSettings) -> Needs:
    id = settings.guardrail.partition(":")[0]
    arn = f"arn:aws:bedrock:REGION:ACCOUNT:guardrail/{id}"
    return (
        _on(arn, "bedrock:ApplyGuardrail", unseen="Bedrock applies it within the call of the model.")
        if id
        else frozenset()
    )


def _judging(settings: StageSettings) -> Needs:
    """Do passages carry a sentence?"""
    return _on("grounding guardrail", "bedrock:ApplyGuardrail") if settings.grounding == "bedrock" else frozenset()


def _withholding() -> Needs:
    """Who may read the documents of earlier answers?"""
    return _on(ACCESS_LISTS, "dynamodb:BatchGetItem")


def invoking(settings: StageSettings, model_id: str, action: str, unseen: str = "") -> Needs:
    """The model or the inference profile, and before it the stage's own profile that copies it."""
    needs = _copied(settings, model_id, action, unseen)
    if not settings.model_profiles or model_id not in settings.writing_model_ids:
        return needs
    own = Need(action, f"profile of {model_id}", _PROFILES)
    return needs | {own, replace(own, action="bedrock:GetInferenceProfile")}


def _copied(settings: StageSettings, model_id: str, action: str, unseen: str) -> Needs:
    """An inference profile needs its model in every region that it routes to (test_model_regions.py)."""
    found = _PROFILE.fullmatch(model_id)
    if found is None:
        return _on(f"arn:aws:bedrock:REGION::foundation-model/{model_id}", action, unseen=unseen)
    geography, model = found.groups()
    profile = f"arn:aws:bedrock:REGION:ACCOUNT:inference-profile/{model_id}"
    through = ("bedrock:InferenceProfileArn", profile)
    here, elsewhere = ("aws:RequestedRegion", "REGION"), ("aws:RequestedRegion", "unspecified")
    asked = (here,) if geography == "global" else ()
    regions: dict[str, tuple[tuple[str, str], ...]] = (
        {"REGION": (here, through), "": (elsewhere, through)}
        if geography == "global"
        else dict.fromkeys(model_regions().destinations(model_id, settings.region), (through,))
    )
    return frozenset(
        {
            Need(action, profile, _PROFILES, asked),
            Need("bedrock:GetInferenceProfile", profile, _PROFILES, asked),
            *(
                Need(action, f"arn:aws:bedrock:{region}::foundation-model/{model}", _PROFILES, context)
                for region, context in regions.items()
            ),
        }
    )


def _searching(settings: StageSettings, query_model_unseen: str = "") -> Needs:
    needs = invoking(settings, settings.embedding_model_id, "bedrock:InvokeModel")
    needs |= invoking(settings, settings.query_model_id, "bedrock:InvokeModel", query_model_unseen)
    for model in settings.rerank_model_ids:
        # Rerank knows no resources: what narrows it down is which models may be invoked.
        needs |= invoking(settings, model, "bedrock:InvokeModel", _ONLY_ON_REQUEST) | _on(
            "*", "bedrock:Rerank", unseen=_ONLY_ON_REQUEST
        )
    return needs | _in_collection(settings, *SEARCHING)


def _chatting(settings: StageSettings) -> Needs:
    action = "bedrock:InvokeModelWithResponseStream"
    return frozenset[Need]().union(*(invoking(settings, each, action) for each in settings.chat_model_ids))


def _planning(settings: StageSettings) -> Needs:
    needs: Needs = frozenset()
    for model in settings.plan_model_ids:
        needs |= invoking(settings, model, "bedrock:InvokeModel", _ONLY_WITH_A_PLAN_MODEL)
    return needs


def _in_collection(settings: StageSettings, on_index: tuple[str, ...], on_aliases: tuple[str, ...]) -> Needs:
    """The needs in a collection: IAM grants all of it, its data access policies this and that."""
    if settings.local:
        return frozenset()
    return (
        _connected(settings)
        | _on("collection", "aoss:APIAccessAll", unseen=_EMBEDDED)
        | _on(f"index/{settings.collection_name}/*", *(f"aoss:{each}" for each in on_index), unseen=_EMBEDDED)
        | _on(f"collection/{settings.collection_name}", *(f"aoss:{each}" for each in on_aliases), unseen=_EMBEDDED)
    )


def _connected(settings: StageSettings) -> Needs:
    """https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html."""
    if settings.network is None:
        return frozenset()
    interfaces = ("CreateNetworkInterface", "DeleteNetworkInterface", "DescribeNetworkInterfaces", "DescribeSubnets")
    addresses = ("AssignPrivateIpAddresses", "UnassignPrivateIpAddresses")
    return _on("*", *(f"ec2:{each}" for each in (*interfaces, *addresses)), unseen=_CONNECTED)


def _agents(settings: StageSettings) -> Needs:
    """The tools are used through Converse, with Bedrock agents when these are unavailable."""
    needs = invoking(settings, settings.agent_model_id, "bedrock:InvokeModelWithResponseStream")
    if settings.agents == "converse" or settings.local:
        return needs
    return needs | {Need("bedrock:InvokeAgent", f"{name} agent's alias") for name in ("profiles", "theories")}


def _agent_functions(settings: StageSettings) -> Mapping[str, Needs]:
    """Only Bedrock Agents call them."""
    if settings.agents == "converse" and not settings.local:
        return {}
    return {
        "agent_profiles": _runs("agent_profiles") | _keeping(),
        "agent_theories": _runs("agent_theories")
        | _auditing(settings)
        | _keeping()
        # The settings of the base that is searched.
        | _on(ACCESS_LISTS, "dynamodb:BatchGetItem")
        | _searching(settings, _ONLY_ONCE),
    }


def _agent_roles(settings: StageSettings) -> Mapping[str, Needs]:
    """https://docs.aws.amazon.com/bedrock/latest/userguide/agents-permission.html."""
    if settings.agents == "converse" or settings.local:
        return {}
    model = settings.agent_model_id
    needs = _copied(settings, model, "bedrock:InvokeModel", _BY_BEDROCK)
    needs |= _copied(settings, model, "bedrock:InvokeModelWithResponseStream", _BY_BEDROCK)
    return {"profiles agent": needs, "theories agent": needs}


def _storing() -> Needs:
    """Without `s3:ListBucket` S3 says of a missing object not that it is missing, but that it is forbidden."""
    return (
        _on(BUCKET, "s3:ListBucket")
        # Viewers of documents, and the fields of knowledge bases.
        | _on(ACCESS_LISTS, "dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:UpdateItem")
        # Asked where the index has fewer documents than are kept.
        | _withholding()
        | _on(f"{BUCKET}/documents/*", "s3:GetObject")
        | _on(f"{BUCKET}/reports/*", "s3:PutObject")
        | _on(f"{BUCKET}/truth/*", "s3:GetObject", "s3:PutObject", "s3:DeleteObject")
        | _on(f"{BUCKET}/rebuild/record.json.gz", "s3:GetObject", "s3:PutObject")
        | _on(f"{BUCKET}/vectors/*", "s3:GetObject", "s3:PutObject", unseen=_ONLY_LARGE)
    )


def _ingesting(settings: StageSettings) -> Needs:
    needs = invoking(settings, settings.embedding_model_id, "bedrock:InvokeModel")
    needs |= _on("document changes", "sqs:ChangeMessageVisibility", "sqs:GetQueueUrl", unseen=_ONLY_AFTER_FAILURES)
    for model_id in filter(None, (settings.context_model_id, settings.card_model_id)):
        needs |= invoking(settings, model_id, "bedrock:InvokeModel", _ONLY_ON_REQUEST)
    if settings.ocr:
        needs |= _on(f"{BUCKET}/scans/*", "s3:GetObject", "s3:PutObject", unseen=_NO_TEXTRACT)
        textract = ("textract:GetDocumentTextDetection", "textract:StartDocumentTextDetection")
        needs |= _on("*", *textract, unseen=_NO_TEXTRACT)
    return needs | _in_collection(settings, *INDEXING)
