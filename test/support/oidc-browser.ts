import { parseJson } from '@sluice/json/parse-json.ts';
import { expect } from 'vitest';
import type { TestProvider } from './oidc-provider.ts';

/** Cookies of one site, as a browser keeps them. */
export function createJar() {
  const cookies = new Map<string, string>();
  return {
    keep({ headers }: Response): void {
      for (const set of headers.getSetCookie()) {
        const [pair = '', ...attributes] = set.split('; ');
        const name = pair.slice(0, pair.indexOf('='));
        const isOver = /max-age=0|expires=Thu, 01 Jan 1970/i.test(attributes.join(';'));
        if (isOver) cookies.delete(name);
        else cookies.set(name, pair.slice(name.length + 1));
      }
    },
    set: (name: string, value: string) => void cookies.set(name, value),
    get: (name: string) => cookies.get(name),
    delete: (name: string) => void cookies.delete(name),
    /** Those with these names, else all. */
    header(names: string[] = [...cookies.keys()]): string {
      return names
        .filter((name) => cookies.has(name))
        .map((name) => `${name}=${cookies.get(name)}`)
        .join('; ');
    },
  };
}

const page = { accept: 'text/html' };

/** A browser that signs in to the Sluice of a provider, without showing pages. */
export function createBrowser({ publicUrl, issuer }: Pick<TestProvider, 'publicUrl' | 'issuer'>) {
  const ofSluice = createJar();
  const ofProvider = createJar();

  async function get(jar: typeof ofSluice, url: string, init: RequestInit = {}, names?: string[]) {
    const headers = { ...page, cookie: jar.header(names), ...(init.headers as object) };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    jar.keep(answer);
    return answer;
  }

  const toProvider = (path: string, init?: RequestInit) => get(ofProvider, new URL(path, issuer).href, init);

  // biome-ignore lint/suspicious/noExplicitAny: as in `Answer`
  const dataOf = async (answer: Response): Promise<any> => (parseJson(await answer.text()) as any).data;

  return {
    cookies: ofSluice,

    async signInWithPassword(username: string, password: string): Promise<void> {
      const body = JSON.stringify({ username, password });
      const headers = { origin: publicUrl, 'content-type': 'application/json' };
      const answer = await get(ofSluice, `${publicUrl}/api/session`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
    },

    /** What Sluice answers. */
    async signOut(): Promise<{ message: string; url: string }> {
      const init = { method: 'DELETE', headers: { origin: publicUrl } };
      return dataOf(await get(ofSluice, `${publicUrl}/api/session`, init));
    },

    /** Begins to sign in; returns the address at the provider. */
    async begin(query = ''): Promise<string> {
      const answer = await get(ofSluice, `${publicUrl}/api/session/oidc${query}`);
      expect(answer.status).toBe(303);
      return answer.headers.get('location') as string;
    },

    /** Begins to link the user who is signed in; returns the address at the provider. */
    async beginLink(): Promise<string> {
      const init = { method: 'POST', headers: { origin: publicUrl } };
      const answer = await get(ofSluice, `${publicUrl}/api/session/oidc?return_to=/profile`, init);
      expect(answer.status).toBe(200);
      return (await dataOf(answer)).url;
    },

    /** Fills in the pages of the provider; returns the address at Sluice to which it leads. */
    async signInThere(url: string, login: string): Promise<string> {
      for (let at = url; ; ) {
        const answer = await toProvider(at);
        const to = answer.headers.get('location');
        if (to?.startsWith(publicUrl)) return to;
        if (to) {
          at = to;
          continue;
        }
        const text = await answer.text();
        const [, action = ''] = / action="([^"]+)"/.exec(text) ?? [];
        if (!action) throw new Error(text);
        const body = new URLSearchParams({ login: `id-of-${login}`, password: 'any' });
        for (const [, name = '', value = ''] of text.matchAll(/ name="(\w+)" value="([^"]*)"/g))
          body.set(name, value);
        at = (await toProvider(action, { method: 'POST', body })).headers.get('location') as string;
      }
    },

    /** Follows the provider back to Sluice. A cookie that is `SameSite=Strict` stays behind. */
    comeBack: (url: string) => get(ofSluice, url, {}, ['sluice_sign_in']),

    /** The token of a new tab; undefined if nobody is signed in. */
    async token(): Promise<string | undefined> {
      const init = { method: 'POST', headers: { origin: publicUrl } };
      const answer = await get(ofSluice, `${publicUrl}/api/session/renew`, init);
      return answer.ok ? (await dataOf(answer)).token : undefined;
    },
  };
}

export type OidcBrowser = ReturnType<typeof createBrowser>;
