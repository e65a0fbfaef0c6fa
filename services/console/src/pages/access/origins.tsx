import { Button, TagsInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { Section } from './section.tsx';
import { useUpdate } from './use-update.ts';

/** Web pages that may upload. */
export function Origins() {
  const { domain, allowed_origins } = useApplication();
  const [origins, setOrigins] = useState(allowed_origins);
  const update = useUpdate(domain);

  function submit(event: FormEvent) {
    event.preventDefault();
    update.mutate({ allowed_origins: origins });
  }

  return (
    <Section title={words.access.origins} text={words.access.originsText}>
      <form onSubmit={submit} style={{ width: '100%' }}>
        <TagsInput
          label={words.access.allowedOrigins}
          placeholder="https://example.com"
          value={origins}
          onChange={setOrigins}
          acceptValueOnBlur
        />
        {update.error && <ErrorAlert error={update.error} />}
        <Button type="submit" mt="sm" loading={update.isPending}>
          {words.access.saveOrigins}
        </Button>
      </form>
    </Section>
  );
}
