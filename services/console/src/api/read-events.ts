import type { EventSourceMessage } from 'eventsource-parser';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** Calls `onEvent` for each server-sent event of a body, until it ends. Rejects when the connection breaks. */
export async function readEvents(body: unknown, onEvent: (event: EventSourceMessage) => void): Promise<void> {
  const events = (body as ReadableStream<BufferSource>)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await events.read();
    if (done) return;
    onEvent(value);
  }
}
