import com.fasterxml.jackson.annotation.*;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Sends entries in batches, in order. Each is stored once, whatever fails on the way.
 * Threads may share it. A shutdown hook closes it if the program does not.
 */
public final class Uploader implements AutoCloseable {
    // BEGIN SCHEMA
    /** The payload of an entry. */
    public static final class Entry {
        @JsonProperty("n")
        public long n;
        @JsonProperty("text")
        public String text;
    }

    static final String DOMAIN = "sample-k3v9q2";
    static final int SCHEMA_VERSION = 1;
    // END SCHEMA

    /** Only `baseUrl` is required. */
    public static final class Options {
        /** Where Sluice is, such as `https://sluice.example`. */
        public String baseUrl;
        /** An ingest key, if the application requires one. */
        public String key;
        /** A folder, for one process at a time: what `send` returned for survives a crash. */
        public Path spool;
        /** Called for each entry that can never be stored; otherwise a warning is printed. In it, `flush` and `close` fail. */
        public Consumer<Refusal> onRefused;
        /** Called once if this file is out of date; otherwise a warning is printed. */
        public Consumer<Stale> onStale;
        /** A batch is sent when it has so many lines or bytes, or is so old. */
        public int batchLines = 5_000;
        public int batchBytes = 4 << 20;
        public Duration batchAge = Duration.ofSeconds(1);
        /** `send` waits while so many bytes have no answer. The spool counts. */
        public long heldBytes = 64 << 20;
        /** How long `close` waits for answers. */
        public Duration closeTimeout = Duration.ofSeconds(30);

        public Options(String baseUrl) {
            this.baseUrl = baseUrl;
        }
    }

    /** An entry that was not stored, as JSON, and why. Lines of a batch count from 1. */
    public record Refusal(String entry, int line, String name, String message, List<Detail> details) {}

    /** What is wrong, and where: `path` is a JSON Pointer. */
    public record Detail(String path, String keyword, String message) {}

    /** The server has another version of the schema: `stricter` (it may refuse what this file allows) or `looser`. */
    public record Stale(int version, String change) {}

    /**
     * What `close` throws if entries are left, and all methods after the server has refused a whole batch, such as for a
     * wrong key.
     */
    public static final class NotStored extends IOException {
        private static final long serialVersionUID = 1;
        public final long entries;
        /** They stay in the spool, and the next process sends them. */
        public final boolean inSpool;
        /** Of the last answer; 0 if there was none. */
        public final int status;
        /** The name of its error; empty if there was none. */
        public final String name;

        private NotStored(long entries, boolean inSpool, Trouble trouble) {
            super(entries + " entries are not stored" + (inSpool ? " and stay in the spool" : "") + ": " + trouble);
            this.entries = entries;
            this.inSpool = inSpool;
            status = trouble.status;
            name = trouble.name;
        }
    }

    /** Why entries are not stored. */
    private record Trouble(int status, String name, String message) {
        @Override
        public String toString() {
            return status == 0 ? message : status + " " + name + ": " + message;
        }

        Refusal ofLine() {
            return new Refusal("", 1, name, message, List.of());
        }
    }

    /** No server takes more as one entry. */
    private static final int LARGEST_ENTRY = 8 << 20;
    /** The server answers for so many keys at once. */
    private static final int VERIFIED_BATCHES = 10_000;
    private static final Trouble TOO_LARGE = new Trouble(0, "PayloadTooLargeError", "the entry has more than 8 MiB");
    /** Jackson would write NaN as a text. */
    private static final ObjectMapper JSON = JsonMapper.builder().disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS).build();
    private static final AtomicLong LAST_STAMP = new AtomicLong();

    private final Options options;
    private final URI url;
    private final HttpClient http = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .build();
    private final Spool spool;
    private final Thread thread = new Thread(this::run, "sluice-uploader");
    private final Thread hook = new Thread(this::closeAtExit);
    /** A second call of `close` waits for the first. */
    private final ReentrantLock closing = new ReentrantLock();
    private final ReentrantLock telling = new ReentrantLock();
    private boolean isStale;

    /** Guards what follows. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Batch filling;
    /** Of a batch: the server may take less at once than the options say. */
    private int mostLines;
    private int mostBytes;
    /** Batches without an answer, the oldest first. */
    private final Deque<Batch> sealed = new ArrayDeque<>();
    /** Entries, and those of them that are stored or refused. */
    private long taken;
    private long answered;
    private long held;
    private boolean isClosed;
    private boolean isEnded;
    /** `onRefused` is told of entries that are answered. */
    private boolean isTelling;
    /** The server refuses batches as a whole: none is sent any more. */
    private boolean isRefused;
    /** The answer for the oldest batch is not of Sluice. */
    private boolean isStuck;
    /** Why the oldest batch is still here. */
    private Trouble trouble = new Trouble(0, "", "the server has not answered");
    /** Entries that the server said it stored, by the key of their batch. */
    private final Map<String, Integer> stored = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > VERIFIED_BATCHES;
        }
    };
    /** The first error of a callback, which `flush` or `close` throws once. */
    private Throwable fault;
    /** The request under way. */
    private CompletableFuture<?> request = CompletableFuture.completedFuture(null);

    public Uploader(String baseUrl) throws IOException {
        this(new Options(baseUrl));
    }

    /** Sends first what an earlier process left in the spool. */
    public Uploader(Options options) throws IOException {
        this.options = options;
        mostLines = options.batchLines;
        mostBytes = options.batchBytes;
        if (!options.baseUrl.matches("https?://.+"))
            throw new IllegalArgumentException("baseUrl is an address such as https://sluice.example");
        url = URI.create(options.baseUrl.replaceAll("/+$", "") + "/api/applications/" + DOMAIN + "/data/");
        spool = options.spool == null ? null : new Spool(options.spool);
        if (spool != null) sealed.addAll(spool.found);
        for (Batch batch : sealed) {
            held += batch.bytes;
            taken += batch.lines;
        }
        thread.setDaemon(true);
        thread.start();
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Hands over an entry. Waits while too much is held. Fails for what JSON does not have, such as NaN. */
    public void send(Entry entry) throws IOException, InterruptedException {
        byte[] text = JSON.writeValueAsBytes(entry);
        boolean isTooLarge = text.length > LARGEST_ENTRY;
        byte[] line = isTooLarge ? text : lineOf(text);
        lock.lock();
        try {
            if (!isInCallback())
                await(() -> held < options.heldBytes || isClosed || isRefused, null);
            if (isRefused) throw notStored();
            if (isClosed) throw new IllegalStateException("the uploader is closed");
            if (!isTooLarge) add(line);
        } finally {
            lock.unlock();
        }
        if (isTooLarge) tell(text, List.of(TOO_LARGE.ofLine()));
    }

    /** A callback must not wait for its own thread. */
    private boolean isInCallback() {
        return Thread.currentThread() == thread || telling.isHeldByCurrentThread();
    }

    /** Fails unless it is JSON: serializers may write anything. */
    private static byte[] lineOf(byte[] text) throws IOException {
        try (JsonParser parser = JSON.createParser(text)) {
            while (parser.nextToken() != null) {}
        }
        byte[] line = Arrays.copyOf(text, text.length + 1);
        for (int at = 0; at < text.length; at++) if (line[at] == '\n') line[at] = ' ';
        line[text.length] = '\n';
        return line;
    }

    /** Waits until all that was handed over before is answered. */
    public void flush() throws IOException, InterruptedException {
        if (isInCallback()) throw new IllegalStateException("flush must not be called in a callback");
        lock.lock();
        try {
            seal();
            long last = taken;
            await(() -> answered >= last && !isTelling || isRefused || isEnded, null);
            check(last);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks whether the server still has the entries that it told this uploader were stored, in the last 10,000 batches.
     * Returns how many are missing: 0 if all are there. The server answers only if the uploader has a `key`.
     */
    public int verify() throws IOException, InterruptedException {
        Map<String, Integer> known;
        lock.lock();
        try {
            known = new LinkedHashMap<>(stored);
        } finally {
            lock.unlock();
        }
        if (known.isEmpty()) return 0;
        byte[] question = JSON.writeValueAsBytes(Map.of("keys", known.keySet()));
        HttpResponse<byte[]> response = answerOf(
            http.sendAsync(newRequest("missing", "application/json", question).build(), HttpResponse.BodyHandlers.ofByteArray())
        );
        if (response.statusCode() != 200) throw new IOException(new Answer(response).trouble.toString());
        int missing = 0;
        for (JsonNode key : JSON.readTree(response.body()).path("data").path("missing"))
            missing += known.getOrDefault(key.asText(), 0);
        return missing;
    }

    /** Sends what is left, and ends. Fails with the number of entries that are not stored. */
    @Override
    public void close() throws IOException {
        if (isInCallback()) throw new IllegalStateException("close must not be called in a callback");
        closing.lock();
        lock.lock();
        try {
            if (!isEnded) end();
            check(taken);
        } finally {
            lock.unlock();
            closing.unlock();
        }
    }

    private void end() throws IOException {
        isClosed = true;
        seal();
        changed.signalAll();
        try {
            await(() -> sealed.isEmpty() && !isTelling || isRefused || isStuck, options.closeTimeout);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        isEnded = true;
        changed.signalAll();
        request.cancel(true);
        if (spool != null) spool.close();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException error) {
            // The program is ending.
        }
    }

    /** Throws what has gone wrong. */
    private void check(long taken) throws IOException {
        IOException error = answered < taken ? notStored() : null;
        if (fault != null) {
            if (error == null) error = new IOException("a callback failed", fault);
            else error.addSuppressed(fault);
            fault = null;
        }
        if (error != null) throw error;
    }

    private NotStored notStored() {
        return new NotStored(taken - answered, spool != null, trouble);
    }

    private void closeAtExit() {
        try {
            close();
        } catch (IOException error) {
            warn(error.getMessage());
        }
    }

    /** Waits until something is so, at most for a time. */
    private void await(BooleanSupplier isSo, Duration limit) throws InterruptedException {
        long left = limit == null ? Long.MAX_VALUE : limit.toNanos();
        while (!isSo.getAsBoolean() && left > 0) left = changed.awaitNanos(left);
    }

    private void add(byte[] line) throws IOException {
        if (filling != null && filling.bytes + line.length > mostBytes) seal();
        Batch batch = filling != null ? filling : new Batch(newKey(), spool);
        try {
            batch.add(line);
        } catch (IOException error) {
            // Half of the line may be in the file, so nothing follows it there.
            if (filling != null) seal();
            else batch.discard();
            throw error;
        }
        held += line.length;
        taken++;
        if (filling == null) {
            filling = batch;
            filling.due = System.nanoTime() + options.batchAge.toNanos();
            changed.signalAll();
        }
        if (batch.lines >= mostLines || batch.bytes >= mostBytes || batch.isDue()) seal();
    }

    /** From now on the batch takes no lines. It is sent when its turn comes. */
    private void seal() {
        if (filling == null) return;
        try {
            filling.seal();
        } catch (IOException error) {
            warn("a batch may not survive a power failure: " + error);
        }
        sealed.add(filling);
        filling = null;
        changed.signalAll();
    }

    private void run() {
        try {
            for (Batch batch = next(); batch != null; batch = next()) deliver(batch);
        } catch (InterruptedException error) {
            warn("the thread of the uploader was interrupted");
        }
    }

    /** Waits for a batch to send. None at the end. */
    private Batch next() throws InterruptedException {
        lock.lock();
        try {
            while (sealed.isEmpty() && !isClosed) {
                if (filling == null) changed.await();
                else if (filling.isDue()) seal();
                else changed.awaitNanos(filling.due - System.nanoTime());
            }
            return isEnded || isRefused ? null : sealed.peek();
        } finally {
            lock.unlock();
        }
    }

    /** Repeats a batch until it is answered or the uploader ends. The key of the batch makes that safe. */
    private void deliver(Batch batch) throws InterruptedException {
        for (int attempt = 0; ; attempt++) {
            long most = Math.min(30_000, 500L << Math.min(attempt, 6));
            Duration pause = Duration.ofMillis(ThreadLocalRandom.current().nextLong(most));
            Trouble reason;
            boolean refuses = false;
            boolean sticks = false;
            try {
                byte[] body = batch.read();
                Answer answer = post(batch.key, body);
                reason = answer.trouble;
                if (answer.isAboutLines) {
                    remove(batch, body, answer.errors);
                    return;
                }
                if (answer.isTooLarge && batch.lines > 1) {
                    split(batch, body, reason.status);
                    return;
                }
                if (reason.status == 413) {
                    remove(batch, body, List.of(reason.ofLine()));
                    return;
                }
                if (reason.status == 409 && answer.isOfSluice && spool != null) {
                    setAside(batch, reason.message);
                    return;
                }
                refuses = !answer.isTemporary && answer.isOfSluice;
                sticks = !answer.isTemporary && !answer.isOfSluice;
                if (sticks) pause = Duration.ofSeconds(30);
                else if (answer.retryAfter != null) pause = answer.retryAfter;
            } catch (NoSuchFileException | EOFException error) {
                // Only this process may remove or cut a batch.
                reason = new Trouble(0, "", error.toString());
                refuses = true;
            } catch (IOException | RuntimeException error) {
                reason = new Trouble(0, "", error.toString());
            }
            lock.lock();
            try {
                if (isEnded) return;
                trouble = reason;
                if (sticks && !isStuck) warn("a batch is not stored, and is tried again every 30 s: " + reason);
                isStuck |= sticks;
                isRefused = refuses;
                changed.signalAll();
                if (refuses) return;
                await(() -> isEnded, pause);
                if (isEnded) return;
            } finally {
                lock.unlock();
            }
        }
    }

    /** The oldest batch is answered. After the end of the uploader, its file belongs to the next process. */
    private void remove(Batch batch, byte[] body, List<Refusal> refused) {
        lock.lock();
        try {
            if (isEnded) return;
            // Whatever the callback does, the batch is not sent again.
            batch.discard();
            drop(batch);
            if (batch.lines > refused.size()) stored.put(batch.key, batch.lines - refused.size());
            isTelling = true;
        } finally {
            lock.unlock();
        }
        tell(body, refused);
        lock.lock();
        isTelling = false;
        changed.signalAll();
        lock.unlock();
    }

    private void setAside(Batch batch, String why) throws IOException {
        lock.lock();
        try {
            if (isEnded) return;
            spool.setAside(batch, why);
            drop(batch);
        } finally {
            lock.unlock();
        }
    }

    private void drop(Batch batch) {
        sealed.remove();
        answered += batch.lines;
        held -= batch.bytes;
        isStuck = false;
        changed.signalAll();
    }

    /** Replaces the oldest batch by its halves, as the server takes less at once. Later batches are smaller. */
    private void split(Batch batch, byte[] body, int status) throws IOException {
        lock.lock();
        try {
            if (isEnded) return;
            int lines = batch.lines / 2;
            int at = 0;
            for (int line = 0; line < lines; at++) if (body[at] == '\n') line++;
            Batch first = batch.half('a', lines, Arrays.copyOf(body, at));
            Batch second = batch.half('b', batch.lines - lines, Arrays.copyOfRange(body, at, body.length));
            // Until here, the next process takes the batch; from here, its halves.
            if (batch.path != null) Files.delete(batch.path);
            sealed.remove();
            sealed.addFirst(second);
            sealed.addFirst(first);
            if (status == 429) mostLines = Math.min(mostLines, second.lines);
            else mostBytes = Math.min(mostBytes, batch.bytes / 2);
        } finally {
            lock.unlock();
        }
    }

    private HttpRequest.Builder newRequest(String path, String contentType, byte[] body) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(url.resolve(path))
            .header("Content-Type", contentType)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (options.key != null) builder.header("X-Api-Key", options.key);
        return builder;
    }

    private Answer post(String key, byte[] body) throws IOException, InterruptedException {
        HttpRequest.Builder builder = newRequest("batch", "application/x-ndjson", body)
            .header("Idempotency-Key", key)
            .header("Sluice-Schema-Version", Integer.toString(SCHEMA_VERSION));
        var sent = http.sendAsync(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
        lock.lock();
        request = sent;
        if (isEnded) sent.cancel(true);
        lock.unlock();
        HttpResponse<byte[]> response = answerOf(sent);
        checkVersion(response);
        return new Answer(response);
    }

    private static HttpResponse<byte[]> answerOf(CompletableFuture<HttpResponse<byte[]>> sent)
        throws IOException, InterruptedException {
        try {
            // The time-out of a request would not cover the body of its answer.
            return sent.get(60, TimeUnit.SECONDS);
        } catch (TimeoutException error) {
            sent.cancel(true);
            throw new IOException("no answer within 60 s");
        } catch (ExecutionException error) {
            throw error.getCause() instanceof IOException cause ? cause : new IOException(error.getCause());
        }
    }

    private void tell(byte[] body, List<Refusal> refused) {
        if (refused.isEmpty()) return;
        if (options.onRefused == null) {
            Refusal first = refused.get(0);
            String why = first.message;
            if (!first.details.isEmpty()) why = first.details.get(0).path + " " + first.details.get(0).message;
            warn(refused.size() + " entries were refused; line " + first.line + ": " + why);
            return;
        }
        String[] entries = new String(body, StandardCharsets.UTF_8).split("\n");
        telling.lock();
        for (Refusal one : refused) {
            String entry = one.line <= entries.length ? entries[one.line - 1] : "";
            Refusal refusal = new Refusal(entry, one.line, one.name, one.message, one.details);
            call(() -> options.onRefused.accept(refusal));
        }
        telling.unlock();
    }

    private void checkVersion(HttpResponse<?> response) {
        String change = response.headers().firstValue("Sluice-Schema-Change").orElse(null);
        if (change == null || isStale) return;
        isStale = true;
        String text = response.headers().firstValue("Sluice-Schema-Version").orElse("");
        int version = text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
        if (options.onStale != null) call(() -> options.onStale.accept(new Stale(version, change)));
        else
            warn("the schema is now version " + version + ", " + change + " than version " + SCHEMA_VERSION
                + " of this client: run sluice client java --app " + DOMAIN);
    }

    /** An error in a callback must not lose a batch. */
    private void call(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable error) {
            lock.lock();
            if (fault == null) fault = error;
            lock.unlock();
        }
    }

    private static void warn(String message) {
        System.err.println("Sluice " + DOMAIN + ": " + message);
    }

    /** Keys sort in the order of their batches, even if the clock goes back. */
    private static String newKey() {
        long now = System.currentTimeMillis();
        long stamp = LAST_STAMP.updateAndGet(last -> Math.max(now, last + 1));
        return String.format("%013d-%016x", stamp, new SecureRandom().nextLong());
    }

    private static final class Answer {
        final Trouble trouble;
        /** Each line was stored, or is in `errors`. */
        final boolean isAboutLines;
        final boolean isTemporary;
        /** No wait helps: fewer lines do. */
        final boolean isTooLarge;
        /** False if a proxy has answered. */
        final boolean isOfSluice;
        final Duration retryAfter;
        final List<Refusal> errors = new ArrayList<>();

        Answer(HttpResponse<byte[]> response) {
            int status = response.statusCode();
            JsonNode body = parse(response.body());
            JsonNode error = body.path("error");
            isOfSluice = error.has("name");
            String name = error.path("name").asText("UnexpectedAnswer");
            trouble = new Trouble(status, name, error.path("message").asText("the answer has status " + status));
            JsonNode found = JSON.missingNode();
            if (status == 207) found = body.path("data").path("errors");
            if (status == 422) found = error.path("details");
            boolean haveLines = !found.isEmpty();
            for (JsonNode line : found) {
                if (line.path("line").asInt() < 1) haveLines = false;
                errors.add(refusalOf(line));
            }
            isAboutLines = status == 201 || haveLines;
            String after = response.headers().firstValue("Retry-After").orElse(null);
            // Sluice says when to try again, unless that cannot help.
            boolean isOverRate = status == 429 && after == null && isOfSluice;
            isTooLarge = status == 413 || isOverRate;
            isTemporary = List.of(207, 408, 429, 500, 502, 503, 504).contains(status) && !isOverRate;
            boolean isNumber = after != null && after.matches("\\d{1,18}");
            retryAfter = isNumber ? Duration.ofSeconds(Math.min(86_400, Long.parseLong(after))) : null;
        }

        /** A proxy may answer with something else than JSON. */
        private static JsonNode parse(byte[] text) {
            try {
                return JSON.readTree(text);
            } catch (IOException error) {
                return JSON.missingNode();
            }
        }

        private static Refusal refusalOf(JsonNode line) {
            List<Detail> details = new ArrayList<>();
            for (JsonNode detail : line.path("details"))
                details.add(new Detail(textOf(detail, "path"), textOf(detail, "keyword"), textOf(detail, "message")));
            return new Refusal("", line.path("line").asInt(), textOf(line, "name"), textOf(line, "message"), details);
        }

        private static String textOf(JsonNode object, String name) {
            return object.path(name).asText("");
        }
    }

    /** Lines in memory, or in a file of the spool. */
    private static final class Batch {
        final String key;
        final Path path;
        private final Spool spool;
        long due;
        int lines;
        int bytes;
        private ByteArrayOutputStream body;
        private RandomAccessFile file;

        Batch(String key, Spool spool) {
            this.key = key;
            this.spool = spool;
            path = spool == null ? null : spool.pathOf(key);
        }

        boolean isDue() {
            return System.nanoTime() - due >= 0;
        }

        void add(byte[] line) throws IOException {
            write(line);
            lines++;
            bytes += line.length;
        }

        private void write(byte[] text) throws IOException {
            if (path == null) {
                if (body == null) body = new ByteArrayOutputStream();
                body.writeBytes(text);
                return;
            }
            if (file == null) {
                Files.createFile(path, Spool.ownerOnly("rw-------"));
                file = new RandomAccessFile(path.toFile(), "rw");
            }
            file.write(text);
        }

        /** Its key is that of the batch and a letter, so it sorts between the batch and the next one. */
        Batch half(char letter, int lines, byte[] text) throws IOException {
            Batch half = new Batch(key + letter, spool);
            // An earlier try may have failed.
            half.discard();
            half.write(text);
            half.seal();
            half.lines = lines;
            half.bytes = text.length;
            return half;
        }

        void seal() throws IOException {
            if (file == null) return;
            try (RandomAccessFile sealed = file) {
                sealed.getFD().sync();
            } finally {
                file = null;
            }
        }

        byte[] read() throws IOException {
            if (path == null) return body.toByteArray();
            byte[] text = Files.readAllBytes(path);
            if (text.length < bytes) throw new EOFException(path + " was cut");
            return text.length > bytes ? Arrays.copyOf(text, bytes) : text;
        }

        /** Counts the lines. One without its end does not count: `send` did not return for it. */
        void recover() throws IOException {
            byte[] text = Files.readAllBytes(path);
            for (int at = 0; at < text.length; at++)
                if (text[at] == '\n') {
                    lines++;
                    bytes = at + 1;
                }
            if (lines == 0) discard();
        }

        void discard() {
            if (path == null) return;
            try {
                if (file != null) file.close();
                Files.deleteIfExists(path);
            } catch (IOException error) {
                warn("a file of the spool cannot be removed: " + error);
            }
        }
    }

    /** A folder with a file for each batch. */
    private static final class Spool {
        final List<Batch> found = new ArrayList<>();
        private final Path folder;
        private final String name;
        private FileChannel channel;

        Spool(Path folder) throws IOException {
            this.folder = folder;
            Files.createDirectories(folder, ownerOnly("rwx------"));
            // To open the lock once more in a process and close it would end the lock. Class loaders share properties.
            name = "sluice.spool." + folder.toRealPath();
            if (System.getProperties().putIfAbsent(name, "in use") != null)
                throw new IOException("this process uses the spool " + folder + " already");
            try {
                channel = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                if (channel.tryLock() == null) throw new IOException("another process uses the spool " + folder);
                recover();
            } catch (IOException | RuntimeException error) {
                close();
                throw error;
            }
        }

        private void recover() throws IOException {
            String[] names = folder.toFile().list((in, name) -> name.matches("\\d{13}-[0-9a-f]{16}[ab]*\\.ndjson"));
            if (names == null) throw new NoSuchFileException(folder.toString());
            String[] keys = Arrays.stream(names).map(name -> name.replace(".ndjson", "")).sorted().toArray(String[]::new);
            // No key has it.
            String whole = " ";
            for (String key : keys) {
                Batch batch = new Batch(key, this);
                // The process died while it halved this batch, and had sent neither half.
                if (key.startsWith(whole)) {
                    Files.delete(batch.path);
                    continue;
                }
                whole = key;
                LAST_STAMP.accumulateAndGet(Long.parseLong(key.substring(0, 13)), Math::max);
                try {
                    batch.recover();
                } catch (IOException error) {
                    setAside(batch, error.toString());
                }
                if (batch.lines > 0) found.add(batch);
            }
        }

        /** Renames a file that cannot be read, or has other lines than the server has for its key. */
        void setAside(Batch batch, String why) throws IOException {
            Path bad = folder.resolve(batch.key + ".bad");
            Files.move(batch.path, bad);
            warn("a batch cannot be sent, and is now " + bad + ": " + why);
        }

        Path pathOf(String key) {
            return folder.resolve(key + ".ndjson");
        }

        void close() throws IOException {
            if (channel != null) channel.close();
            System.getProperties().remove(name);
        }

        /** Windows has other permissions. */
        static FileAttribute<?>[] ownerOnly(String permissions) {
            if (!FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) return new FileAttribute<?>[0];
            return new FileAttribute<?>[] {
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)),
            };
        }
    }
}
