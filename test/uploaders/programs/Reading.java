import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.time.LocalDate;

/** Reads entries and writes them again. */
final class Reading {
    public static void main(String[] args) throws Exception {
        var json = new ObjectMapper();
        var entry = json.readValue(args[0], Uploader.Entry.class);
        System.out.println(json.writeValueAsString(entry));
        System.out.println(entry.at().toOffsetDateTime().toInstant() + " " + entry.day().toLocalDate().getDayOfWeek());
        var made = Uploader.Entry.builder()
            .at(Uploader.DateTime.of(Instant.parse("2026-01-02T03:04:05Z")))
            .day(Uploader.Date.of(LocalDate.of(2026, 1, 2)))
            .place(Uploader.Place.builder().city("Oslo").build())
            .additionalProperty("more", 1)
            .build();
        System.out.println(json.writeValueAsString(made));
        System.out.println(made.equals(json.readValue(json.writeValueAsString(made), Uploader.Entry.class)) + " " + made);
        try {
            Uploader.Place.builder().build();
        } catch (IllegalStateException error) {
            System.out.println(error.getMessage());
        }
    }
}
