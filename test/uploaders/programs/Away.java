import java.nio.file.Path;
import java.time.Duration;

/** Sends an entry over a network with hindrances. */
final class Away {
    public static void main(String[] args) throws Exception {
        var options = Uploader.builder(args[0]).closeTimeout(Duration.ofSeconds(Long.parseLong(args[2])));
        if (!args[3].equals("-")) options.ca(Path.of(args[3]));
        try (var uploader = options.build()) {
            uploader.send(Uploader.Entry.builder().n(Long.parseLong(args[1])).text("x".repeat(1_000)).build());
        } catch (Uploader.NotStored error) {
            System.out.println(error.getMessage());
        }
    }
}
