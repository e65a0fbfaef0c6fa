import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

final class Plain {
    public record Entry(long n, String text) {}

    public static void main(String[] args) throws Exception {
        var json = new ObjectMapper();
        var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        String text = "x".repeat(Integer.parseInt(args[2]));
        for (long n = 1; n <= Long.parseLong(args[1]); n++) {
            var body = HttpRequest.BodyPublishers.ofByteArray(json.writeValueAsBytes(new Entry(n, text)));
            var request = HttpRequest.newBuilder(URI.create(args[0])).header("Content-Type", "application/json").POST(body);
            var response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 201) throw new IllegalStateException(response.body());
        }
    }
}
