import { Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { useAct } from '../../components/use-act.ts';
import { words } from '../../words/en.ts';
import { useApplication, useUpdate } from '../application/use-application.ts';

/** How many uploads came in the last hour without a key. */
function useKeylessOfHour(enabled: boolean) {
  const { domain } = useApplication();
  const { data, error } = useQuery({
    ...read('/api/applications/{domain}/stats', { path: { domain }, query: { step: 'minute', by: 'key' } }),
    staleTime: 0,
    enabled,
  });
  const keyless = data?.filter(({ key }) => key === null);
  return { count: keyless?.reduce((sum, { accepted, refused = 0 }) => sum + accepted + refused, 0), error };
}

/** Asks before clients are locked out, and says how many uploads lately had no key. */
export function KeyRequired({ hasKeys }: { hasKeys: boolean | undefined }) {
  const { key_required } = useApplication();
  const [isAsked, asking] = useDisclosure();
  const { isPending, mutate } = useAct(useUpdate());
  const { count, error } = useKeylessOfHour(isAsked);
  const isKnown = count !== undefined && hasKeys !== undefined;
  return (
    <>
      <Switch
        label={words.settings.keyRequired}
        checked={key_required}
        disabled={isPending}
        onChange={() => (key_required ? mutate({ key_required: false }) : asking.open())}
      />
      <ConfirmDialog
        title={words.settings.keyRequired}
        opened={isAsked}
        close={asking.close}
        question={
          isKnown ? words.settings.keyQuestion(count, hasKeys) : (error?.message ?? words.common.loading)
        }
        label={words.settings.refuseKeyless}
        onConfirm={isKnown ? () => mutate({ key_required: true }) : undefined}
      />
    </>
  );
}
