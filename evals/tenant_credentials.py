"""`python -m evals.tenant_credentials`: the processor time of credentials for one tenant, the network left out."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3

from evals.processor_time import median_ms

TOKEN = "C" * 900
ASSUMED = f"""<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>A</AccessKeyId><SecretAccessKey>B</SecretAccessKey><SessionToken>{TOKEN}</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"""
ROLE = "arn:aws:iam::123456789012:role/tenant"


class Answers(BaseHTTPRequestHandler):
    """STS and DynamoDB, as far as these requests need them."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"Item":{"pk":{"S":"a"}}}' if "X-Amz-Target" in self.headers else ASSUMED.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


def main() -> int:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as answers:
        threading.Thread(target=answers.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{answers.server_port}"
        session = boto3.Session("A", "B", region_name="us-east-1")
        sts, plain = session.client("sts", endpoint_url=url), session.client("dynamodb", endpoint_url=url)
        scoped = boto3.Session("A", "B", TOKEN, region_name="us-east-1").client("dynamodb", endpoint_url=url)
        tags = [{"Key": "tenant", "Value": "a"}]
        found = {
            "assume": median_ms(lambda: sts.assume_role(RoleArn=ROLE, RoleSessionName="tenant", Tags=tags)),
            "client": median_ms(lambda: session.client("dynamodb", endpoint_url=url, aws_session_token=TOKEN)),
            "read": median_ms(lambda: plain.get_item(TableName="t", Key={"pk": {"S": "a"}})),
            "read with a token": median_ms(lambda: scoped.get_item(TableName="t", Key={"pk": {"S": "a"}})),
        }
        answers.shutdown()
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
