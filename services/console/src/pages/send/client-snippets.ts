/** Where uploads go, and the key if they need one. */
interface To {
  origin: string;
  key?: string | undefined;
}

const text = JSON.stringify;

const typescript = ({ origin, key }: To) => `import { Uploader } from "./uploader.ts";

const uploader = new Uploader({ baseUrl: ${text(origin)}${key === undefined ? '' : `, key: ${text(key)}`} });
await uploader.send(entry);
await uploader.close();
`;

const python = ({ origin, key }: To) => `from uploader import Entry, Uploader

with Uploader(${text(origin)}${key === undefined ? '' : `, key=${text(key)}`}) as uploader:
    uploader.send(Entry(...))
`;

const go = ({
  origin,
  key,
}: To) => `client, err := uploader.New(uploader.Options{BaseURL: ${text(origin)}${key === undefined ? '' : `, Key: ${text(key)}`}})
err = client.Send(ctx, uploader.Entry{})
if err := client.Close(ctx); err != nil {
    log.Fatal(err)
}
`;

const java = ({ origin, key }: To) => `var options = new Uploader.Options(${text(origin)});
${key === undefined ? '' : `options.key = ${text(key)};\n`}try (var uploader = new Uploader(options)) {
    uploader.send(entry);
}
`;

const rust = ({ origin, key }: To) => `let uploader = Uploader::new(Options {
    base_url: ${text(origin)}.into(),
${key === undefined ? '' : `    key: Some(${text(key)}.into()),\n`}    ..Options::default()
})?;
uploader.send(&entry)?;
uploader.close()?;
`;

const snippets: Record<string, (to: To) => string> = { typescript, python, go, java, rust };

/** Lines that use a client; undefined for a language of a newer server. */
export const clientSnippet = (language: string, to: To): string | undefined => snippets[language]?.(to);
