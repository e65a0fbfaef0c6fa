import { Alert, Button, Stack } from '@mantine/core';
import { leaveToSignIn } from '../../api/browser-session.ts';
import type { Schemas } from '../../api/client.ts';
import { words } from '../../words/en.ts';

/** Buttons that lead to the providers, and in the end to a path of this console. */
export function Providers({ providers, then }: { providers: Schemas['SignInProvider'][]; then: string }) {
  if (providers.length === 0) return null;
  return (
    <Stack mb="lg">
      {providers.map(({ name, url }) => (
        <Button
          key={url}
          component="a"
          variant="default"
          href={`${url}?${new URLSearchParams({ return_to: then })}`}
          onClick={leaveToSignIn}
        >
          {words.signIn.through(name)}
        </Button>
      ))}
    </Stack>
  );
}

/** Why a provider led back in vain. The reason is one of a list, so no link puts words here. */
export const FailedSignIn = ({ title, reason }: { title: string; reason: string }) => (
  <Alert color="red" title={title} role="alert" mb="md">
    {words.signIn.reasons[reason] ?? words.signIn.reasons.invalid}
  </Alert>
);
