const mostTries = 4;
const longestWaitSeconds = 30;
const afterBreakSeconds = 0.5;

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

/** Sends a request again, once, when there is no answer: the network may have changed, as on a train. */
async function fetchTwice(request: Request): Promise<Response> {
  try {
    return await fetch(request.clone());
  } catch (error) {
    if (!isRepeatable(request) || request.signal.aborted) throw error;
    await wait(afterBreakSeconds, request.signal);
    return fetch(request.clone());
  }
}

/** `fetch` that repeats a GET or a renewal up to three times, when a 429 or a 503 says after how long. */
export async function fetchWithRetry(request: Request): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetchTwice(request);
    const seconds = isRepeatable(request) && tries < mostTries ? secondsToWait(response) : undefined;
    if (seconds === undefined) return response;
    await wait(seconds, request.signal);
  }
}
