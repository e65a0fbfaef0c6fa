const [url, count, characters] = process.argv.slice(2) as [string, string, string];
const text = 'x'.repeat(Number(characters));
for (let n = 1; n <= Number(count); n++) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ n, text }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  await response.text();
}

export {};
