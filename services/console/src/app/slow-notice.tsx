import { useIsSlow } from '../api/slow.ts';
import { words } from '../words/en.ts';

/** Says that the page waits for an answer. */
export const SlowNotice = () => (
  <div role="status" className="slow-notice">
    {useIsSlow() && <span>{words.errors.slow}</span>}
  </div>
);
