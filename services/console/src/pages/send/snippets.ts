export interface Upload {
  /** Such as `http://127.0.0.1:4000/api/applications/weather-station-k3v9q2/data`. */
  url: string;
  /** JSON on one line. */
  payload: string;
  key?: string | undefined;
}

interface Snippet {
  label: string;
  code: string;
}

/** Single quotes for a shell hold every character but themselves. */
const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** JSON is Python, except for these words outside of strings. */
const python = (json: string) =>
  json.replace(
    /"(?:[^"\\]|\\.)*"|true|false|null/g,
    (token) => ({ true: 'True', false: 'False', null: 'None' })[token] ?? token,
  );

/** Whether JavaScript and Python would send the same if the payload were written in the program. */
const isPlain = (json: string) => JSON.stringify(JSON.parse(json)) === json;

const go = (text: string) => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);

const headersOf = ({ key }: Upload): Record<string, string> => ({
  'Content-Type': 'application/json',
  ...(key !== undefined && { 'X-Api-Key': key }),
});

function curl(upload: Upload): string {
  const headers = Object.entries(headersOf(upload)).map(
    ([name, value]) => `-H ${shell(`${name}: ${value}`)}`,
  );
  return [`curl ${shell(upload.url)}`, ...headers, `-d ${shell(upload.payload)}`].join(' \\\n  ');
}

const javascript = (upload: Upload): string => `const response = await fetch(${JSON.stringify(upload.url)}, {
  method: "POST",
  headers: ${JSON.stringify(headersOf(upload))},
  body: ${isPlain(upload.payload) ? `JSON.stringify(${upload.payload})` : JSON.stringify(upload.payload)},
});
console.log(response.status, await response.text());
`;

const pythonSnippet = (upload: Upload): string => `import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

payload = ${isPlain(upload.payload) ? `json.dumps(${python(upload.payload)})` : JSON.stringify(upload.payload)}
request = Request(
    ${JSON.stringify(upload.url)},
    data=payload.encode(),
    headers=${JSON.stringify(headersOf(upload))},
)
try:
    response = urlopen(request)
except HTTPError as error:
    response = error
print(response.status, response.read().decode())
`;

const goSnippet = (upload: Upload): string => `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(${go(upload.payload)})
	request, err := http.NewRequest("POST", ${JSON.stringify(upload.url)}, body)
	if err != nil {
		panic(err)
	}
${Object.entries(headersOf(upload))
  .map(([name, value]) => `\trequest.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`)
  .join('\n')}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status, string(answer))
}
`;

export const snippets = (upload: Upload): Snippet[] => [
  { label: 'curl', code: curl(upload) },
  { label: 'JavaScript', code: javascript(upload) },
  { label: 'Python', code: pythonSnippet(upload) },
  { label: 'Go', code: goSnippet(upload) },
];
