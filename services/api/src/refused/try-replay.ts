import { createRecordFields } from '@sluice/intake/intake.ts';
import { amendRefused } from '@sluice/intake/refused/amend.ts';
import type { Amendments } from '@sluice/intake/refused/amendments.ts';
import { createUploadValidator } from '@sluice/intake/upload-validator.ts';
import type { ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import { applicationNotFound } from '@sluice/shared/errors.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import type { Dependencies } from '../dependencies.ts';
import type { CachedApplication } from '../known/applications.ts';

const mostPairs = 10;

/** Shows what a replay would do with the first uploads. Answers are JSON text, as payloads keep their digits. */
export function createTryReplay({
  store: { fields, replays },
  cache,
  capacity,
}: Pick<Dependencies, 'store' | 'cache' | 'capacity'>) {
  const validator = createUploadValidator(createRecordFields(fields), {
    capacity: capacity.largeUploads,
  });

  async function pairOf(
    upload: RefusedRecord,
    application: CachedApplication,
    amendments: Amendments,
  ): Promise<string> {
    const { payload, truncated } = upload;
    const before = truncated ? JSON.stringify(payload) : payload;
    const failed = (message: string) => ({ after: before, ok: false, error: { message } });
    async function replayed() {
      const amended = amendRefused(upload, amendments);
      if (!amended.ok) return failed(amended.message);
      const fate = await validator.validate(application, Buffer.from(amended.json));
      if (fate.kind === 'accepted') return { after: amended.json, ok: true };
      const { name, message, details } = await fate.explain();
      return { after: amended.json, ok: false, error: { name, message, details } };
    }
    const { after, ...rest } = await replayed();
    return `${JSON.stringify(rest).slice(0, -1)},"before":${before},"after":${after}}`;
  }

  return {
    async pairs(domain: string, options: ReplayOptions, amendments: Amendments): Promise<string> {
      const application = await cache.get(domain);
      if (!application) throw applicationNotFound(domain);
      const uploads = await replays.next(application.id, options, mostPairs);
      const pairs: string[] = [];
      for (const upload of uploads) pairs.push(await pairOf(upload, application, amendments));
      return `{"pairs":[${pairs.join(',')}]}`;
    },

    close: validator.close,
  };
}
