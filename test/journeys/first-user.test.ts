import { firstCode } from '@sluice/api/accounts/first-code.ts';
import { expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { startSluice, storeOf } from '../support/sluice.ts';

/** Of registrations at once; in each, 20 use the link of an installation without users. */
const rounds = Number(process.env.ROUNDS ?? 3);
const secrets = ['the secret that is in use now ...', 'the secret that was before it ...'];

async function start(env: Record<string, string>) {
  const sluice = await startSluice({ workers: false, env: { JWT_SECRET: secrets.join(','), ...env } });
  onTestFinished(() => sluice.stop());
  const register = async (username: string, code?: string) => {
    const json = { username, password: 'correct horse', locale: 'en', code };
    const { status, body } = await sluice.request('POST', '/users/register', { json });
    return [status, body.error?.name ?? body.data.message];
  };
  return { sluice, register };
}

it.each(secrets)(
  'a code of a secret registers the first user alone, while registration is closed',
  async (secret) => {
    const { sluice, register } = await start({ REGISTRATION_OPEN: 'off' });
    expect(await register('ada')).toEqual([403, 'RegistrationClosedError']);
    expect(await register('ada', firstCode('another secret'))).toEqual([401, 'InvalidCredentialsError']);
    expect(await register('ada', 'ü'.repeat(43))).toEqual([401, 'InvalidCredentialsError']);
    expect(await register('ada', firstCode(secret))).toEqual([200, 'user ada was registered']);
    expect(await register('bob', firstCode(secret))).toEqual([401, 'InvalidCredentialsError']);
    const json = { username: 'ada', password: 'correct horse' };
    expect((await sluice.request('POST', '/users/login', { json })).status).toBe(200);
  },
);

it('the user of the demo is not the first', async () => {
  const { sluice, register } = await start({ REGISTRATION_OPEN: 'off' });
  await admin(sluice.env, ['users', 'invite', 'sluice-demo']);
  expect(await register('ada', firstCode(secrets[0] as string))).toEqual([200, 'user ada was registered']);
  expect(await register('bob', firstCode(secrets[0] as string))).toEqual([401, 'InvalidCredentialsError']);
});

it('a code is not taken from a second user while registration is open either', async () => {
  const { register } = await start({ REGISTRATION_OPEN: 'on' });
  expect(await register('ada')).toEqual([200, 'user ada was registered']);
  expect(await register('bob', firstCode(secrets[0] as string))).toEqual([401, 'InvalidCredentialsError']);
  expect(await register('bob')).toEqual([200, 'user bob was registered']);
});

it.each(['off', 'on'])(
  'of 20 registrations at once with the link, at two replicas, one registers (REGISTRATION_OPEN=%s)',
  async (open) => {
    const { sluice, register } = await start({ REGISTRATION_OPEN: open });
    const replica = await start(sluice.env);
    const { users } = storeOf(sluice);
    const code = firstCode(secrets[0] as string);
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const [status] = await (at % 2 ? replica : { register }).register(`user${at}`, code);
          return status;
        }),
      );
      expect(answers.sort()).toEqual([200, ...Array(19).fill(401)]);
      const listed = await users.list();
      expect(listed).toHaveLength(1);
      // Without its only user the installation is as it was before the first.
      for (const { id } of listed) await users.remove(id);
    }
  },
);
