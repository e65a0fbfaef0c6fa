/** Java records that keep the text of a time. */
const classes = {
  DateTime: [
    '/** A date and time with an offset. What was read is written back to the letter. */',
    'public record DateTime(String text) {',
    '    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)',
    '    public DateTime {}',
    '',
    '    public static DateTime of(OffsetDateTime time) {',
    '        return new DateTime(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time));',
    '    }',
    '',
    '    public static DateTime of(Instant time) {',
    '        return new DateTime(time.toString());',
    '    }',
    '',
    '    /** Fails for what Java does not have, such as a leap second. */',
    '    public OffsetDateTime toOffsetDateTime() {',
    '        return OffsetDateTime.parse(text);',
    '    }',
    '',
    '    @JsonValue',
    '    public String text() {',
    '        return text;',
    '    }',
    '}',
    '',
  ],
  Date: [
    '/** A day. */',
    'public record Date(String text) {',
    '    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)',
    '    public Date {}',
    '',
    '    public static Date of(LocalDate day) {',
    '        return new Date(day.toString());',
    '    }',
    '',
    '    public LocalDate toLocalDate() {',
    '        return LocalDate.parse(text);',
    '    }',
    '',
    '    @JsonValue',
    '    public String text() {',
    '        return text;',
    '    }',
    '}',
    '',
  ],
};

/** The classes that these lines use. */
export const timesIn = (lines: string[]): string[] =>
  Object.entries(classes).flatMap(([name, own]) => {
    const use = new RegExp(`\\b${name}\\b`);
    return lines.some((line) => line.startsWith('    private') && use.test(line)) ? own : [];
  });

/** What the classes of these lines import. */
export const importsOfTimes = (lines: string[]): string[] =>
  lines.some((line) => /public record Date/.test(line))
    ? ['import java.time.*;', 'import java.time.format.DateTimeFormatter;']
    : [];
