"""Receives webhooks of Sluice and verifies them: WEBHOOK_SECRET=whsec_… PORT=8080 python3 receiver.py"""
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
seen = set()


def is_genuine(headers, body):
    identifier, moment = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    if abs(time.time() - int(moment)) > 300:
        return False
    digest = hmac.new(key, f"{identifier}.{moment}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(one, expected) for one in headers.get("webhook-signature", "").split())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        genuine = is_genuine(self.headers, body)
        # A delivery can come twice. Keep the ids where they outlive the process, if that matters.
        if genuine and self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            event = json.loads(body)
            entries = event["data"].get("entries")
            print(event["type"], json.dumps(event["data"]) if entries is None else f"{len(entries)} entries", flush=True)
        self.send_response(204 if genuine else 401)
        self.end_headers()


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
