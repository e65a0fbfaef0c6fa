import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from '../../components/formats.ts';
import { DownloadButton } from '../../jobs/download-button.tsx';
import type { Job } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { RefusedLines } from './refused-lines.tsx';

/** What became of the lines of an import. */
export function ImportOutcome({ domain, job }: { domain: string; job: Job }) {
  const [isOpen, setIsOpen] = useState(false);
  const { accepted = 0, rejected = 0, file } = job;
  return (
    <>
      <Text size="sm">{words.imports.outcome(formatNumber(accepted), formatNumber(rejected))}</Text>
      {file && rejected > 0 && (
        <>
          <Button
            size="xs"
            variant="default"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            style={{ alignSelf: 'start' }}
          >
            {isOpen ? words.imports.hideRefused : words.imports.showRefused}
          </Button>
          {isOpen && <RefusedLines domain={domain} id={job.id} />}
          <DownloadButton domain={domain} jobs="imports" job={job} label={words.imports.downloadReport} />
        </>
      )}
    </>
  );
}
