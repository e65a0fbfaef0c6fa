import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

final class Send {
    private static Uploader used;

    public static void main(String[] args) {
        try {
            run(args);
        } catch (Exception error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }

    private static void run(String[] args) throws Exception {
        boolean isPoisoned = args[9].equals("yes");
        boolean hasKey = !args[10].equals("-");
        var options = Uploader.builder(args[0])
            .domain(args[11])
            .onRefused(isPoisoned ? Send::fail : Send::print)
            .heldBytes(Long.parseLong(args[6]))
            .batchLines(Integer.parseInt(args[7]))
            .closeTimeout(Duration.ofSeconds(Long.parseLong(args[8])))
            .gzip(!"no".equals(System.getenv("GZIP")));
        if (!args[1].equals("-")) options.spool(Path.of(args[1]));
        if (hasKey) options.key(args[10]);
        String text = "x".repeat(Integer.parseInt(args[5]));
        var poison = isPoisoned ? poison(text) : List.<Uploader.Entry>of();
        int first = Integer.parseInt(args[3]);
        boolean tells = !args[2].equals("-");
        try (var uploader = options.build(); var sent = new FileOutputStream(tells ? args[2] : "/dev/null", true)) {
            used = uploader;
            for (int n = first; n <= Integer.parseInt(args[4]); n++) {
                uploader.send(entry(n, text, null));
                if (tells) sent.write((n + "\n").getBytes(StandardCharsets.UTF_8));
                if (n - first < poison.size()) trySend(uploader, poison.get(n - first), first - n - 1);
            }
            if (isPoisoned) checkFault(uploader);
            if (hasKey) {
                uploader.flush();
                System.out.println("missing " + uploader.verify());
            }
        }
        if (isPoisoned) trySend(used, poison.get(2), -3);
    }

    private static Uploader.Entry entry(long n, String text, Object more) {
        return Uploader.Entry.builder().n(n).text(text).more(more).build();
    }

    private static List<Uploader.Entry> poison(String text) {
        var circle = new ArrayList<Object>();
        circle.add(circle);
        var deep = new ArrayList<Object>();
        for (int depth = 0; depth < 100_000; depth++) deep = new ArrayList<>(List.of(deep));
        return Arrays.asList(
            entry(-1, text, null),
            entry(-2, "x".repeat(2 << 20), null),
            entry(-3, "x".repeat(17 << 20), null),
            entry(1, text, Double.NaN),
            entry(1, text, new float[] {Float.NEGATIVE_INFINITY}),
            entry(-6, "\ud800", null),
            entry(-7, "\udc00 ", null),
            entry(1, text, circle),
            entry(1, text, deep),
            entry(1, text, new Object()),
            entry(1, text, new RawValue("{]")),
            entry(1, text, new RawValue("")),
            null
        );
    }

    private static void trySend(Uploader uploader, Uploader.Entry entry, int n) throws Exception {
        try {
            uploader.send(entry);
        } catch (IllegalArgumentException | IllegalStateException error) {
            System.out.println(n + " send");
        }
    }

    private static void checkFault(Uploader uploader) throws Exception {
        try {
            uploader.flush();
        } catch (IOException error) {
            if (error.getCause().getMessage().equals("a callback that fails")) return;
        }
        throw new IllegalStateException("flush does not tell of the error in a callback");
    }

    private static void fail(Uploader.Refusal refusal) {
        String n = refusal.entry().replaceFirst("\\{\"n\":(-?\\d+).*", "$1");
        System.out.println(n + " " + refusal.name());
        if (n.equals("-1")) useInCallback();
        throw new IllegalStateException("a callback that fails");
    }

    private static void useInCallback() {
        try {
            used.send(entry(-100, "x".repeat(9 << 20), null));
            used.flush();
        } catch (Exception flushFailed) {
            try {
                used.close();
            } catch (Exception closeFailed) {
                System.out.println("-101 flush and close");
            }
        }
    }

    private static void print(Uploader.Refusal refusal) {
        var json = new ObjectMapper();
        ObjectNode object = json.valueToTree(refusal);
        try {
            object.set("entry", json.readTree(refusal.entry()));
        } catch (JsonProcessingException error) {
            // A line of a damaged file stays a text.
        }
        System.out.println(object);
    }
}
