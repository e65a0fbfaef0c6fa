const mostTries = 4;
const longestWaitSeconds = 30;

/** Seconds that the answer asks to wait; undefined for a final answer. */
function secondsToWait({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = Number(headers.get('retry-after') ?? 1);
  return seconds <= longestWaitSeconds ? seconds : undefined;
}

const wait = (seconds: number, signal: AbortSignal) =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, seconds * 1_000);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const isRepeatable = ({ method, url }: Request) => method === 'GET' || url.endsWith('/api/session/renew');

/** `fetch` that repeats a GET or a renewal up to three times, when a 429 or a 503 says after how long. */
export async function fetchWithRetry(request: Request): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(request.clone());
    const seconds = isRepeatable(request) && tries < mostTries ? secondsToWait(response) : undefined;
    if (seconds === undefined) return response;
    await wait(seconds, request.signal);
  }
}
