import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import sluice.uploader.Uploader;

/** Sends three plain objects with the package, and prints what `send` says of others. */
final class Keyless {
    public record Reading(long n, String text) {}

    public static void main(String[] args) throws Exception {
        long n = Long.parseLong(args[2]);
        var uploader = Uploader.builder(args[0]).domain(args[1]).build();
        uploader.send(Map.of("n", n, "text", "a map"));
        uploader.send(new Reading(n + 1, "a record"));
        uploader.send(new ObjectMapper().createObjectNode().put("n", n + 2).put("text", "a node"));
        uploader.send(Map.of("n", -1, "text", "refused"));
        var circle = new ArrayList<Object>();
        circle.add(circle);
        List<Object> wrong = Arrays.asList(
            null, List.of(1), "text", URI.create("http://127.0.0.1"), 1, true,
            Map.of("n", Double.NaN), Map.of("n", Float.NEGATIVE_INFINITY), new RawValue("{}{}"), new RawValue(""),
            Map.of("n", circle), Map.of("n", new Object())
        );
        for (Object one : wrong) {
            try {
                uploader.send(one);
                System.out.println("sent");
            } catch (IllegalArgumentException error) {
                System.out.println(error.getMessage().split("[:;(] ?[A-Z(]")[0]);
            }
        }
        System.out.println(uploader.counts());
        uploader.flush();
        System.out.println(uploader.counts());
        uploader.close();
        for (String url : List.of("localhost:4340", "ftp://127.0.0.1")) told(Uploader.builder(url));
        told(Uploader.builder(args[0]));
    }

    private static void told(Uploader.Builder wrong) throws Exception {
        try {
            wrong.build();
        } catch (IllegalArgumentException error) {
            System.out.println(error.getMessage());
        }
    }
}
