"""The WebSocket API: a route for each action, an authorizer on `$connect`."""

from __future__ import annotations

import jsii
from aws_cdk import Aws, CfnResource, RemovalPolicy, Tags
from aws_cdk import aws_apigateway as account_settings
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigateway import AccessLogFormat
from constructs import Construct

from infra.constructs.function import Functions, allow
from infra.constructs.socket_domain import SocketDomain
from infra.routes import ROUTES

_STAGE = "v1"
# No query string in the log: it may hold a token.
_LOG_FIELDS = {
    "requestId": "$context.requestId",
    "connectionId": "$context.connectionId",
    "eventType": "$context.eventType",
    "routeKey": "$context.routeKey",
    "status": "$context.status",
    # `messageString` is the same in quotation marks of its own.
    "error": "$context.error.message",
}


class WebSocketApi(Construct):
    """Its functions are those of the route table, and those that open and close connections."""

    def __init__(self, scope: Construct, id: str, *, functions: Functions) -> None:
        super().__init__(scope, id)
        self._settings = settings = functions.settings
        self.api = self._api(functions)
        self._add_routes(functions)
        if settings.local:
            # The emulator takes the API's id from this tag, so that the address stays the same between starts.
            Tags.of(self.api).add("ms-custom-id", "cicada")
        self.stage = self._stage()
        self.domain = self._domain()
        if settings.create_api_log_role:
            self._let_the_api_log()

    def _api(self, functions: Functions) -> apigateway.WebSocketApi:
        authorizer = functions.live("authorizer")
        return apigateway.WebSocketApi(
            self,
            "Api",
            api_name=f"{self._settings.prefix}-chat",
            connect_route_options=apigateway.WebSocketRouteOptions(
                integration=_integration("Connect", functions.live("ws_connect")),
                # A token may come as subprotocol or in the query string, so neither can be a required identity source.
                authorizer=authorizers.WebSocketLambdaAuthorizer("Authorizer", authorizer, identity_source=[]),
            ),
            disconnect_route_options=apigateway.WebSocketRouteOptions(
                integration=_integration("Disconnect", functions.live("ws_disconnect"))
            ),
        )

    def _add_routes(self, functions: Functions) -> None:
        for action, name in ROUTES.items():
            self.api.add_route(
                action,
                integration=_integration(action.strip("$"), functions.live(name)),
                # The emulator returns replies on every route, and does not support the resource that enables this on
                # AWS.
                return_response=self._settings.local is None,
            )

    def _stage(self) -> apigateway.WebSocketStage:
        log = logs.LogGroup(
            self, "AccessLog", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
        )
        return apigateway.WebSocketStage(
            self,
            "Stage",
            web_socket_api=self.api,
            stage_name=_STAGE,
            auto_deploy=True,
            throttle=apigateway.ThrottleSettings(rate_limit=2000, burst_limit=1000),
            access_log_settings=_AccessLog(log),
        )

    def _domain(self) -> SocketDomain | None:
        addresses = self._settings.addresses
        if addresses.socket is None:
            return None
        return SocketDomain(self, "Domain", domain=addresses.socket, zone=addresses.hosted_zone, stage=self.stage)

    def _let_the_api_log(self) -> None:
        """Set the role by which API Gateway logs. A stage with a log is refused in an account that has none.

        It is one for the account in the region, so it outlives the stack: another stack's APIs may log by it. It even
        outlives a first deployment that fails, because the setting refers to it by then.
        """
        role = iam.Role(
            self,
            "LogRole",
            assumed_by=iam.ServicePrincipal("apigateway.amazonaws.com"),
            managed_policies=[
                iam.ManagedPolicy.from_aws_managed_policy_name("service-role/AmazonAPIGatewayPushToCloudWatchLogs")
            ],
        )
        role.apply_removal_policy(RemovalPolicy.RETAIN)
        account = account_settings.CfnAccount(self, "Account", cloud_watch_role_arn=role.role_arn)
        account.apply_removal_policy(RemovalPolicy.RETAIN)
        # The setting is refused in an account that has never had an API, until there is one.
        account.add_resource_dependency(_resource(self.api))
        _resource(self.stage).add_resource_dependency(account)

    @property
    def url(self) -> str:
        """What clients connect to."""
        local = self._settings.local
        if local:
            return f"{local.aws_url.replace('http', 'ws', 1)}/_aws/execute-api/{self.api.api_id}/{_STAGE}"
        return self.origin if self.domain else self.stage.url

    @property
    def origin(self) -> str:
        """The part of `url` on AWS that a browser's content security policy names."""
        domain = self._settings.addresses.socket
        host = domain.name if domain else f"{self.api.api_id}.execute-api.{Aws.REGION}.{Aws.URL_SUFFIX}"
        return f"wss://{host}"

    @property
    def outputs(self) -> dict[str, str]:
        """`SocketDomainTarget`: what a record of the WebSocket's domain has to name, if this stack does not make it."""
        found = {"WebSocketUrl": self.url, "CallbackUrl": self.callback_url}
        if self.domain and not self._settings.addresses.hosted_zone:
            found["SocketDomainTarget"] = self.domain.name.regional_domain_name
        return found

    @property
    def callback_url(self) -> str:
        """The endpoint through which functions post to connections."""
        local = self._settings.local
        if local:
            return f"{local.calls_url}/_aws/execute-api/{self.api.api_id}/{_STAGE}"
        # Built from the API's id, not from the stage: the stage depends on functions that may have it in their
        # settings.
        return f"https://{self.api.api_id}.execute-api.{Aws.REGION}.{Aws.URL_SUFFIX}/{_STAGE}"

    def grant_post(self, function: lambda_.Function) -> None:
        """Let the function post to connections and learn that they are gone; nothing else."""
        allow(function, ["execute-api:ManageConnections"], f"{self._arn}/POST/@connections/*")

    def grant_close(self, function: lambda_.Function) -> None:
        """Let the function close connections."""
        allow(function, ["execute-api:ManageConnections"], f"{self._arn}/DELETE/@connections/*")

    @property
    def _arn(self) -> str:
        return f"arn:{Aws.PARTITION}:execute-api:{Aws.REGION}:{Aws.ACCOUNT_ID}:{self.api.api_id}/{_STAGE}"


def _resource(construct: Construct) -> CfnResource:
    """The one resource that the construct stands for."""
    resource = construct.node.default_child
    if not isinstance(resource, CfnResource):
        raise TypeError(f"{construct.node.path} stands for no resource.")
    return resource


def _integration(id: str, function: lambda_.IFunction) -> integrations.WebSocketLambdaIntegration:
    return integrations.WebSocketLambdaIntegration(f"{id}Integration", function)


@jsii.implements(apigateway.IAccessLogSettings)
class _AccessLog:
    def __init__(self, log: logs.LogGroup) -> None:
        self._log = log

    @property
    def destination(self) -> apigateway.IAccessLogDestination:
        return apigateway.LogGroupLogDestination(self._log)

    @property
    def format(self) -> AccessLogFormat:
        fields = ", ".join(f'"{name}": "{value}"' for name, value in _LOG_FIELDS.items())
        return AccessLogFormat.custom(f"{{{fields}}}")
