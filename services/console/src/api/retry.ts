const mostTries = 4;
const longestWaitSeconds = 30;

/** Seconds that the answer asks to wait before a retry; undefined where it is final. */
function secondsToWait({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = Number(headers.get('retry-after') ?? 1);
  return seconds <= longestWaitSeconds ? seconds : undefined;
}

function wait(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1_000);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** `fetch` that sends a GET again, up to three times, when the answer is 429 or 503 and says when. */
export async function fetchWithRetry(request: Request): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(request.clone());
    const seconds = request.method === 'GET' && tries < mostTries ? secondsToWait(response) : undefined;
    if (seconds === undefined) return response;
    await wait(seconds, request.signal);
  }
}
