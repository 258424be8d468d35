"""The chat page of a stage on AWS: its files, headers, caching and addresses."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from infra.addresses import AddressError, addresses
from infra.model_regions import model_regions
from infra.page_files import PAGE_FOLDER, PageBuildError, page_files
from infra.page_headers import page_headers
from local.page import app
from local.page import headers as local_headers
from tests.infra.deployed import Deployed, deployed
from tests.infra.edge import Edge
from tests.infra.promises import passwords
from tests.infra.test_permissions import DEPLOYMENTS

CERTIFICATE = "arn:aws:acm:us-east-1:111122223333:certificate/0a1b"
REGION = "eu-west-1"
REGIONAL = f"arn:aws:acm:{REGION}:111122223333:certificate/2c3d"
DOMAINS = {
    "pageDomain": "chat.example.com",
    "pageCertificate": CERTIFICATE,
    "socketDomain": "socket.example.com",
    "socketCertificate": REGIONAL,
}
API = "wss://ConversationWebSocketApi05C623EF.execute-api.us-east-1.amazonaws.com"
COGNITO = "https://cognito-idp.us-east-1.amazonaws.com"


@pytest.fixture
def dev() -> Deployed:
    return deployed("dev")


@pytest.fixture(scope="module")
def edge() -> Edge:
    return Edge("dev")


@pytest.fixture
def named() -> Deployed:
    """A stage with domains of its own and a hosted zone."""
    return deployed("prod", region=REGION, hostedZone="Z0123", **DOMAINS)


def test_cloudfront_sends_the_headers_of_the_local_stage_and_hsts(edge: Edge) -> None:
    local = local_headers({"websocketUrl": f"{API}/v1", "cognitoUrl": f"{COGNITO}/"})
    for path in ("", "config.json"):
        served = edge.served(path)
        assert served is not None
        assert served.headers == local | {"Strict-Transport-Security": "max-age=31536000", "Cache-Control": "no-cache"}


def test_the_page_may_connect_to_its_stack_alone(edge: Edge) -> None:
    served = edge.served("")
    assert served is not None
    policy = served.headers["Content-Security-Policy"]
    [allowed] = [each for each in policy.split("; ") if each.startswith("connect-src")]
    assert allowed == f"connect-src 'self' {API} {COGNITO}"
    for forbidden in ("unsafe", "*", "data:", "http:"):
        assert forbidden not in policy


def test_editors_pages_may_send_files_to_the_bucket_and_nowhere_else() -> None:
    stage = deployed(**DEPLOYMENTS["a data key of the stack, and editors"])
    headers = stage.only("AWS::CloudFront::ResponseHeadersPolicy")["ResponseHeadersPolicyConfig"]
    policy = headers["SecurityHeadersConfig"]["ContentSecurityPolicy"]["ContentSecurityPolicy"]
    [(bucket, rules)] = [
        (id, found["CorsConfiguration"]["CorsRules"])
        for id, found in stage.of_kind("AWS::S3::Bucket")
        if "CorsConfiguration" in found
    ]
    assert rules == [{"AllowedMethods": ["POST"], "AllowedOrigins": ["https://*.cloudfront.net"], "MaxAge": 3000}]
    assert [each for each in policy["Fn::Join"][1] if isinstance(each, dict) and bucket in str(each)] == [
        {"Fn::GetAtt": [bucket, "RegionalDomainName"]}
    ]


def test_every_file_of_the_page_is_there_and_nothing_else(edge: Edge) -> None:
    files = page_files()
    expected = {f"{files.assets_prefix}/{path}": content for path, content in files.assets.items()}
    found = {path: content for path, (content, _) in edge.files.items()}
    config = found.pop("config.json")
    assert found == expected | {"index.html": files.index.encode()}
    assert json.loads(config) == edge.config()


def test_the_configuration_names_the_stack_and_no_secret(edge: Edge) -> None:
    assert edge.config() == {
        "websocketUrl": f"{API}/v1",
        "tokenIn": "subprotocol",
        "cognitoUrl": f"{COGNITO}/",
        "clientId": "IdentityUsersChat774A7E2E",
        "userPoolId": "IdentityUsers61009EFD",
        "mfa": "optional",
    }


def test_the_configuration_says_who_is_shown_the_administration() -> None:
    assert (
        Edge(**DEPLOYMENTS["administrators, a limit of tokens, another name of the collection"]).config()[
            "administrators"
        ]
        == "admins"
    )


def test_what_the_document_refers_to_may_be_kept_for_ever(edge: Edge) -> None:
    index = edge.files["index.html"][0].decode()
    referred = re.findall(r'(?:href|src)="([^"]+)"', index)
    assert len(referred) >= 4
    for path in referred:
        served = edge.served(path)
        assert served is not None, path
        assert (served.cached, served.headers["Cache-Control"]) == (
            "CachingOptimized",
            "public, max-age=31536000, immutable",
        )


@pytest.mark.parametrize("path", ["", "index.html", "config.json"])
def test_document_and_configuration_are_asked_for_each_time(edge: Edge, path: str) -> None:
    served = edge.served(path)
    assert served is not None
    assert (served.cached, served.headers["Cache-Control"]) == ("CachingDisabled", "no-cache")


def copied(folder: Path) -> Path:
    """The page in this folder, with the client that it imports beside it."""
    for source in (PAGE_FOLDER, PAGE_FOLDER.parent / "javascript"):
        shutil.copytree(source, folder / source.name)
    return folder / PAGE_FOLDER.name


def test_a_changed_file_has_another_address(tmp_path: Path) -> None:
    same, other = (copied(tmp_path / name) for name in ("same", "other"))
    assert page_files(same) == page_files(other)
    with (other.parent / "javascript" / "client.js").open("a", encoding="utf-8") as module:
        module.write('console.log("another");\n')
    changed = page_files(other)
    assert changed.assets_prefix != page_files(same).assets_prefix
    assert changed.index.count(changed.assets_prefix) == page_files(same).index.count(page_files(same).assets_prefix)
    (other / "style.css").unlink()
    with pytest.raises(FileNotFoundError, match=r"index\.html refers to style\.css"):
        page_files(other)


def test_a_page_that_cannot_be_built_says_where_and_is_built_again_when_mended(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    module = folder / "page.js"
    content = module.read_text("utf-8")
    module.write_text(f"const = 1;\n{content}", "utf-8")
    with pytest.raises(PageBuildError, match=r"page\.js:1:6"):
        page_files(folder)
    said = TestClient(app({}, folder), base_url="http://127.0.0.1").get("/")
    assert said.status_code == 500
    assert "page.js:1:6" in said.text
    module.write_text(content, "utf-8")
    assert page_files(folder).assets


def test_without_esbuild_it_says_what_to_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("infra.page_files.ESBUILD", tmp_path / "esbuild")
    folder = copied(tmp_path)
    with pytest.raises(PageBuildError, match="run `npm ci`"):
        page_files(folder)


def test_what_is_loaded_before_signing_in_is_at_most_120_kb_in_every_language() -> None:
    files = page_files()
    first = {path: files.assets[path] for path in re.findall(rf'{files.assets_prefix}/([^"]+)"', files.index)}
    assert {"page.js", "style.css"} < set(first)
    assert not any(path.startswith("chat-view") for path in first)
    words = [content for path, content in files.assets.items() if re.match("(ar|de|es|fr|ja)-", path)]
    assert len(words) == 5
    sent = [files.index.encode(), files.assets["evening.svg"], max(words, key=len), *first.values()]
    assert sum(len(gzip.compress(content)) for content in sent) < 120_000


def test_the_document_comes_after_its_assets_and_takes_none_away(dev: Deployed) -> None:
    deployments = dict(dev.of_kind("Custom::CDKBucketDeployment"))
    [document] = [id for id, each in deployments.items() if "DestinationBucketKeyPrefix" not in each]
    [assets] = set(deployments) - {document}
    assert assets in dev.resources[document]["DependsOn"]
    # Pages that are being loaded and an earlier release still find theirs.
    assert [each["Prune"] for each in deployments.values()] == [False, False]


def test_the_bucket_is_read_by_signed_requests_of_cloudfront(dev: Deployed) -> None:
    [origin] = dev.only("AWS::CloudFront::Distribution")["DistributionConfig"]["Origins"]
    access = dev.only("AWS::CloudFront::OriginAccessControl")["OriginAccessControlConfig"]
    assert dev.resources[origin["OriginAccessControlId"]["Fn::GetAtt"][0]]["Type"].endswith("OriginAccessControl")
    assert (access["SigningBehavior"], access["OriginAccessControlOriginType"]) == ("always", "s3")


@pytest.mark.parametrize("kind", ["AWS::CloudFront::OriginAccessControl", "AWS::CloudFront::ResponseHeadersPolicy"])
def test_two_regions_of_an_account_may_have_the_same_stage(dev: Deployed, kind: str) -> None:
    """Their names are unique in the account, not in the region."""
    [config] = dev.only(kind).values()
    assert dev.text(config["Name"]) == "cicada-dev-page-us-east-1"
    assert {"Ref": "AWS::Region"} in config["Name"]["Fn::Join"][1]


def test_domains_of_ones_own_lead_to_page_and_socket(named: Deployed) -> None:
    outputs = {name: named.text(each["Value"]) for name, each in named.outputs.items()}
    assert (outputs["PageUrl"], outputs["WebSocketUrl"]) == ("https://chat.example.com", "wss://socket.example.com")
    config = named.only("AWS::CloudFront::Distribution")["DistributionConfig"]
    assert config["Aliases"] == ["chat.example.com"]
    assert config["ViewerCertificate"]["AcmCertificateArn"] == CERTIFICATE
    assert config["ViewerCertificate"]["MinimumProtocolVersion"] == "TLSv1.2_2021"
    [socket] = named.only("AWS::ApiGatewayV2::DomainName")["DomainNameConfigurations"]
    assert socket == {"CertificateArn": REGIONAL, "EndpointType": "REGIONAL", "SecurityPolicy": "TLS_1_2"}
    mapping = named.only("AWS::ApiGatewayV2::ApiMapping")
    assert (mapping["ApiId"], mapping["Stage"]) == ({"Ref": "ConversationWebSocketApi05C623EF"}, "v1")
    # Posting to connections goes by the API's own address.
    assert "execute-api" in named.environment("message-processor")["CICADA_CALLBACK_URL"]


def test_the_page_may_connect_to_the_sockets_own_domain(named: Deployed) -> None:
    policy = named.only("AWS::CloudFront::ResponseHeadersPolicy")["ResponseHeadersPolicyConfig"]
    text = named.text(policy["SecurityHeadersConfig"]["ContentSecurityPolicy"]["ContentSecurityPolicy"])
    assert f"connect-src 'self' wss://socket.example.com {COGNITO};" in text


def test_the_hosted_zone_has_a_record_for_each_name(named: Deployed) -> None:
    records = [each for _, each in named.of_kind("AWS::Route53::RecordSet")]
    assert sorted((each["Name"], each["Type"]) for each in records) == [
        ("chat.example.com.", "A"),
        ("chat.example.com.", "AAAA"),
        ("socket.example.com.", "A"),
    ]
    assert {each["HostedZoneId"] for each in records} == {"Z0123"}


def test_without_a_hosted_zone_the_outputs_say_what_records_have_to_name() -> None:
    stage = deployed("dev", region=REGION, **DOMAINS)
    assert not list(stage.of_kind("AWS::Route53::RecordSet"))
    outputs = {name: stage.text(each["Value"]) for name, each in stage.outputs.items()}
    distribution = stage.id_of("AWS::CloudFront::Distribution")
    domain = stage.id_of("AWS::ApiGatewayV2::DomainName")
    assert outputs["PageDomainTarget"] == f"{distribution}.DomainName"
    assert outputs["SocketDomainTarget"] == f"{domain}.RegionalDomainName"


def test_an_account_that_may_not_use_cloudfront_yet_can_do_without_the_page() -> None:
    stage = deployed(**DEPLOYMENTS["no contexts, no planning model, no page"])
    kinds = {each["Type"] for each in stage.resources.values()}
    assert not [kind for kind in kinds if "CloudFront" in kind or "BucketDeployment" in kind]
    assert "PageUrl" not in stage.outputs


def test_a_region_without_cloudfront_is_refused_the_page_and_told_so() -> None:
    """AWS GovCloud: CloudFormation has no CloudFront there."""
    with pytest.raises(AddressError, match=r"us-gov-west-1 has no CloudFront.*-c page=none"):
        addresses(_nothing, "us-gov-west-1")
    assert not addresses({"page": "none"}.get, "us-gov-west-1").has_page


def test_the_page_is_refused_exactly_where_cloudformation_lacks_something_of_a_stage(dev: Deployed) -> None:
    """The schemas of cfn-lint have the kinds of resources of each region."""
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]

    kinds = {each["Type"] for each in dev.resources.values() if not each["Type"].startswith("Custom::")}
    regions = sorted(model_regions().collections)
    lacking = {each: kinds - set(PROVIDER_SCHEMA_MANAGER.get_resource_types(each)) for each in regions}
    assert {kind.split("::")[1] for kinds in lacking.values() for kind in kinds} == {"CloudFront"}
    assert [each for each in regions if lacking[each]] == [each for each in regions if _is_refused(each)]


def _nothing(_name: str) -> None:
    """The context without any setting."""


def _is_refused(region: str) -> bool:
    try:
        addresses(_nothing, region)
    except AddressError:
        return True
    return False


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        (
            {"pageDomain": "chat.example.com", "pageCertificate": REGIONAL},
            "request one for chat.example.com in us-east",
        ),
        ({"pageDomain": "chat.example.com"}, "needs -c pageCertificate="),
        ({"socketDomain": "chat.example.com", "socketCertificate": "0a1b"}, "needs -c socketCertificate="),
        (DOMAINS | {"socketCertificate": CERTIFICATE}, "request one for socket.example.com in eu-west-1"),
        ({"pageCertificate": CERTIFICATE}, "is no domain: give a name such as"),
        ({"pageDomain": "https://chat.example.com/", "pageCertificate": CERTIFICATE}, "is no domain"),
        (DOMAINS | {"socketDomain": "chat.example.com"}, "need a name each"),
        ({"hostedZone": "Z0123"}, "add -c pageDomain, -c socketDomain or -c signInDomain"),
        (DOMAINS | {"hostedZone": "example.com"}, "is no id of a hosted zone"),
        (DOMAINS | {"page": "none"}, "leaves the page out"),
        ({"page": "s3"}, "use -c page=cloudfront or none"),
    ],
)
def test_addresses_that_cannot_be_are_refused_with_what_to_do(context: dict[str, str], sentence: str) -> None:
    with pytest.raises(AddressError, match=re.escape(sentence)):
        addresses(context.get, REGION)


def test_the_page_states_the_rule_of_the_pools_passwords(dev: Deployed) -> None:
    catalogues = [path.read_text("utf-8") for path in (PAGE_FOLDER / "words").iterdir()]
    rules = [line for text in catalogues for line in text.splitlines() if '"newPassword.rule"' in line]
    assert f'  "newPassword.rule": "At least {passwords(dev)}.",' in rules
    length = passwords(dev).split()[0]
    assert [length in rule for rule in rules] == [True] * len(catalogues)


def test_no_other_site_shares_the_pages_process_or_reads_its_files() -> None:
    headers = page_headers([], over_tls=True)
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_the_documents_own_policy_is_that_of_the_headers() -> None:
    """It holds where the page is served without headers. What only a header can say, and the addresses, differ."""
    header = dict(
        directive(each)
        for each in local_headers({"websocketUrl": "ws://a", "cognitoUrl": "http://b"})[
            "Content-Security-Policy"
        ].split("; ")
    )
    [meta] = re.findall(r'content="(default-src [^"]+)"', (PAGE_FOLDER / "index.html").read_text("utf-8"))
    own = dict(directive(each) for each in meta.split("; "))
    assert header.pop("frame-ancestors") == "'none'"
    assert own.pop("connect-src") == "'self' http: https: ws: wss:"
    assert header.pop("connect-src") == "'self' ws://a http://b"
    assert own == header


def directive(text: str) -> tuple[str, str]:
    name, _, value = text.partition(" ")
    return name, value
