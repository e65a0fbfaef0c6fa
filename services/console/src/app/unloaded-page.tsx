import { Container, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Loading } from '../components/loading.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { useTransfers } from '../jobs/transfers.ts';
import { words } from '../words/en.ts';
import { ReloadButton } from './errors.tsx';
import { versionQuery } from './version.ts';

const retryMs = 2_000;

/** Stands for a page whose files did not come. Reloads once Sluice, which was away, is back. */
export function UnloadedPage() {
  const {
    data: isUpdated,
    error,
    errorUpdateCount,
  } = useQuery({
    ...versionQuery,
    staleTime: 0,
    refetchInterval: retryMs,
  });
  const isKept = useTransfers().length > 0;
  const isKnown = error !== null || isUpdated !== undefined;
  const isBack = isKnown && !error && errorUpdateCount > 0 && !isKept;
  useEffect(() => {
    // Browsers may remember that a file did not come: only a new page asks again.
    if (isBack) window.location.reload();
  }, [isBack]);
  if (!isKnown || isBack) return <Loading />;
  // The notice above the page tells it.
  if (!error && isUpdated) return null;
  return (
    <Container role="alert" py="md">
      <PageTitle title={error ? words.errors.away : words.errors.unloaded} />
      <Text mb="md">{error ? words.errors.awayText : words.errors.unloadedText}</Text>
      <ReloadButton />
    </Container>
  );
}
