import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

final class Send {
    public static void main(String[] args) {
        try {
            run(args);
        } catch (Exception error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }

    private static void run(String[] args) throws Exception {
        var options = new Uploader.Options(args[0]);
        if (!args[1].equals("-")) options.spool = Path.of(args[1]);
        options.onRefused = Send::print;
        options.heldBytes = Long.parseLong(args[6]);
        options.batchLines = Integer.parseInt(args[7]);
        options.closeTimeout = Duration.ofSeconds(Long.parseLong(args[8]));
        String text = "x".repeat(Integer.parseInt(args[5]));
        boolean tells = !args[2].equals("-");
        try (var uploader = new Uploader(options); var sent = new FileOutputStream(tells ? args[2] : "/dev/null", true)) {
            for (long n = Long.parseLong(args[3]); n <= Long.parseLong(args[4]); n++) {
                var entry = new Uploader.Entry();
                entry.n = n;
                entry.text = text;
                uploader.send(entry);
                if (tells) sent.write((n + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private static void print(Uploader.Refusal refusal) {
        var json = new ObjectMapper();
        try {
            var object = (com.fasterxml.jackson.databind.node.ObjectNode) json.valueToTree(refusal);
            System.out.println(object.set("entry", json.readTree(refusal.entry())).toString());
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
