import http.client
import json
import sys
import urllib.parse

url, count, characters = sys.argv[1:]
parts = urllib.parse.urlsplit(url)
connection = http.client.HTTPConnection(parts.netloc)
text = "x" * int(characters)
for n in range(1, int(count) + 1):
    body = json.dumps({"n": n, "text": text})
    connection.request("POST", parts.path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = response.read()
    if response.status != 201:
        sys.exit(answer)
connection.close()
