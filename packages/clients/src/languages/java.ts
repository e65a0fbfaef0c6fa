import { camel } from '../names.ts';
import { literal } from '../texts.ts';
import { indented } from '../write/head.ts';
import { classOf, enumOf } from './java-classes.ts';
import { keywords } from './java-names.ts';
import { entryOf } from './java-program.ts';
import { importsOfTimes, timesIn } from './java-times.ts';
import type { Language } from './language.ts';

const quote = literal.java;

const send = [
  '    /** Hands over an entry. Waits while too much is held. Fails for what JSON does not have, such as NaN. */',
  '    public void send(Entry entry) throws IOException, InterruptedException {',
  '        put(entry);',
  '    }',
];

export const java: Language = {
  name: 'Java',
  file: 'Uploader.java',
  source: 'java/src/main/java/sluice/uploader/Uploader.java',
  how: 'save it in your sources, and add com.fasterxml.jackson.core:jackson-databind:2.20.1 (Java 17)',
  comment: '//',
  program: {
    file: 'Send.java',
    run: `javac -d . -cp 'lib/*' Send.java Uploader.java && java -cp 'lib/*:.' Send (lib/ has the three jars of Jackson)`,
    lines: ({ entry, sample, naming, baseUrl, inPackage }) => [
      ...(inPackage ? [`import ${inPackage}.Uploader;`, ''] : []),
      'class Send {',
      '    public static void main(String[] args) throws Exception {',
      `        var options = Uploader.builder(${quote(baseUrl)}).spool(java.nio.file.Path.of("spool"));`,
      '        try (var uploader = options.build()) {',
      `            uploader.send(${entryOf(entry, sample, naming)});`,
      '        }',
      '    }',
      '}',
    ],
  },
  habits: { field: camel, keywords },
  types({ records, choices }, naming) {
    const classes = records.flatMap((record) => classOf(record, naming));
    const enums = choices.flatMap((choice) => enumOf(choice, naming));
    return indented([...classes, ...enums, ...timesIn(classes)]);
  },
  constants: (domain, version) => [
    `    static final String DOMAIN = ${quote(domain)};`,
    `    static final int SCHEMA_VERSION = ${version};`,
    '',
    ...send,
  ],
  typesOnly: {
    file: 'Types.java',
    before: (types) => [
      'import com.fasterxml.jackson.annotation.*;',
      'import com.fasterxml.jackson.databind.annotation.*;',
      ...importsOfTimes(types),
      'import java.util.Arrays;',
      'import java.util.Collections;',
      'import java.util.LinkedHashMap;',
      'import java.util.List;',
      'import java.util.Map;',
      '',
      'public final class Types {',
    ],
    after: ['    private Types() {}', '}'],
    usage: [
      'var entry = new ObjectMapper().readValue(text, Types.Entry.class);',
      'new ObjectMapper().writeValueAsString(entry);',
    ],
  },
};
