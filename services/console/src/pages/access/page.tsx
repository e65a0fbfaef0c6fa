import { Stack } from '@mantine/core';
import { Deletion } from './deletion.tsx';
import { Keys } from './keys.tsx';
import { Origins } from './origins.tsx';
import { Retention } from './retention.tsx';

export function Page() {
  return (
    <Stack gap="xl">
      <Keys />
      <Origins />
      <Retention />
      <Deletion />
    </Stack>
  );
}
