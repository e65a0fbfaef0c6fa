import { serve } from '@sluice/threads/serve.ts';
import { make, type WantedFile } from './make.ts';
import type { Made } from './maker.ts';

serve<WantedFile, Made>(async (wanted) => {
  try {
    return { text: await make(wanted) };
  } catch (error) {
    // References that are nested very deeply overflow the stack.
    if (error instanceof RangeError) return { problem: 'the schema is nested too deeply for a client' };
    throw error;
  }
});
