import { codeOf } from '../authenticator.ts';
import type { Recorder } from './recorder.ts';

/** All that a user does with an account. `issueCode` makes a code that sets a password, or confirms an e-mail. Returns the secrets. */
export async function actOnAccount(
  { act }: Recorder,
  username: string,
  issueCode: (what: 'password' | 'e-mail') => Promise<string>,
): Promise<string[]> {
  const passwords = ['correct horse', 'better horse', 'best horse'] as const;
  const [first, second, third] = passwords;
  const by = { actor: username, via: 'password' };
  const names = { in: { username } };
  const json = { username, password: first, locale: 'en' };
  await act('post /api/users/register', { json }, { action: 'user.registered', ...by });
  const login = (password: string, status: number, action: string) =>
    act('post /api/users/login', { json: { username, password }, status }, { action, ...by });
  await login('wrong horse', 401, 'user.login-failed');
  const { token } = (await login(first, 200, 'user.logged-in')).body.data;
  const locale = { token, json: { locale: 'en' } };
  await act('patch /api/users/me', locale, { action: 'user.updated', ...by });
  await act('patch /api/users/{username}', { ...locale, ...names }, { action: 'user.updated', ...by });

  const change = (old_password: string, status: number, action: string) => {
    const json = { old_password, new_password: second };
    return act('put /api/users/me/password', { token, json, status }, { action, ...by });
  };
  await change('wrong horse', 401, 'user.password-refused');
  await change(first, 200, 'user.password-changed');
  const set = (code: string, status: number, action: string) => {
    const json = { code, new_password: third };
    const event = { action, actor: username, via: 'code' };
    return act('put /api/users/{username}/password', { ...names, json, status }, event);
  };
  const code = await issueCode('password');
  await set('wrong', 401, 'user.code-refused');
  await set(code, 200, 'user.password-set');

  const opened = await act(
    'post /api/session',
    { json: { username, password: third } },
    { action: 'user.logged-in', ...by },
  );
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] as string;
  const ofBrowser = opened.body.data.token as string;
  await act('post /api/session/renew', { headers: { cookie } });
  const settings = { name: 'Nightly export', scopes: ['read'] };
  const made = await act(
    'post /api/users/me/tokens',
    { token: ofBrowser, json: settings },
    { action: 'token.created', ...by, after: settings },
  );
  await act(
    'delete /api/users/me/tokens/{id}',
    { token: ofBrowser, in: { id: made.body.data.id } },
    { action: 'token.revoked', ...by, before: settings },
  );
  const email = { token: ofBrowser, json: { email: 'grace@example.com' } };
  await act('put /api/users/me/email', email, { action: 'user.email-set', ...by });
  const ofMail = await issueCode('e-mail');
  const confirmed = { action: 'user.email-confirmed', actor: username, via: 'code' };
  await act('post /api/users/confirm-email', { json: { code: ofMail } }, confirmed);
  await act('delete /api/users/me/email', { token: ofBrowser }, { action: 'user.email-deleted', ...by });
  await act('post /api/session/oidc', { headers: { cookie }, status: 404 });

  const credentials = { json: { username, password: third } };
  await act('post /api/session', credentials, { action: 'user.logged-in', ...by });
  const sessions = (await act('get /api/users/me/sessions', { token: ofBrowser })).body.data;
  const { id } = sessions.find(({ current }: { current: boolean }) => !current);
  const ended = { action: 'session.ended', ...by };
  await act('delete /api/users/me/sessions/{id}', { token: ofBrowser, in: { id } }, ended);
  await act('delete /api/users/me/sessions', { token: ofBrowser }, ended);

  const factor = (await act('post /api/users/me/second-factor', { token: ofBrowser })).body.data;
  const { otpauth_url: url, recovery_codes: codes } = factor;
  const withCode = (route: string, code: string, status: number, action: string) =>
    act(route, { token: ofBrowser, json: { code }, status }, { action, ...by });
  await withCode('post /api/users/me/second-factor/confirm', codeOf(url), 200, 'second-factor.confirmed');
  await withCode('delete /api/users/me/second-factor', 'wrong', 401, 'second-factor.failed');
  await withCode('delete /api/users/me/second-factor', codes[0], 200, 'second-factor.removed');
  await act('delete /api/session', { headers: { cookie } }, { action: 'user.logged-out', ...by });
  await act('delete /api/session', {});
  const secret = new URL(url).searchParams.get('secret') as string;
  return [...passwords, ofMail, token, code, cookie, ofBrowser, made.body.data.token, secret, ...codes];
}
