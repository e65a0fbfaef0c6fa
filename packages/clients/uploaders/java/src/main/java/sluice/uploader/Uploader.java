package sluice.uploader;

import com.fasterxml.jackson.annotation.*;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.annotation.*;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializerBase;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URLEncoder;
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
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * Sends entries in batches, in order. Each is stored once, whatever fails on the way.
 * Threads may share it. A shutdown hook closes it if the program does not.
 */
public final class Uploader implements AutoCloseable {
    // BEGIN SCHEMA
    static final String DOMAIN = null;
    static final int SCHEMA_VERSION = 0;

    /**
     * Hands over an entry. Waits while too much is held.
     *
     * @param entry a map, a record or what else Jackson writes as a JSON object
     * @throws IllegalArgumentException if JSON cannot write the entry, such as one with NaN
     * @throws IllegalStateException if the uploader is closed
     * @throws IOException if the spool cannot be written, or the server has refused a whole batch
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void send(Object entry) throws IOException, InterruptedException {
        put(entry);
    }
    // END SCHEMA

    /** The options of an uploader. Those that are not set have their defaults. */
    public static final class Builder {
        private final String baseUrl;
        private String domain = DOMAIN;
        private String key;
        private Path spool;
        private Consumer<Refusal> onRefused;
        private Consumer<Stale> onStale;
        private boolean gzip = true;
        private Path ca;
        private SSLContext sslContext;
        private int batchLines = 5_000;
        private int batchBytes = 4 << 20;
        private Duration batchAge = Duration.ofSeconds(1);
        private long heldBytes = 64 << 20;
        private Duration closeTimeout = Duration.ofSeconds(30);

        private Builder(String baseUrl) {
            this.baseUrl = baseUrl;
        }

        /**
         * The application that takes the entries.
         *
         * @param domain such as {@code weather-station-k3v9q2}
         * @return this builder
         */
        public Builder domain(String domain) {
            this.domain = domain;
            return this;
        }

        /**
         * An ingest key, if the application requires one.
         *
         * @param key such as {@code sk_…}
         * @return this builder
         */
        public Builder key(String key) {
            this.key = key;
            return this;
        }

        /**
         * Entries survive a crash: they are on disk when {@code send} returns.
         *
         * @param spool a folder, for one process at a time
         * @return this builder
         */
        public Builder spool(Path spool) {
            this.spool = spool;
            return this;
        }

        /**
         * Without it, refusals are logged as warnings.
         *
         * @param onRefused called for each entry that can never be stored; in it, {@code flush} and {@code close} fail
         * @return this builder
         */
        public Builder onRefused(Consumer<Refusal> onRefused) {
            this.onRefused = onRefused;
            return this;
        }

        /**
         * Without it, a warning is logged.
         *
         * @param onStale called once if the types of this file are out of date
         * @return this builder
         */
        public Builder onStale(Consumer<Stale> onStale) {
            this.onStale = onStale;
            return this;
        }

        /**
         * Batches of 1 KiB and more are compressed, unless this is false.
         *
         * @param gzip whether to compress
         * @return this builder
         */
        public Builder gzip(boolean gzip) {
            this.gzip = gzip;
            return this;
        }

        /**
         * Certificate authorities besides those of Java.
         *
         * @param ca a PEM file
         * @return this builder
         */
        public Builder ca(Path ca) {
            this.ca = ca;
            return this;
        }

        /**
         * Replaces {@code ca}.
         *
         * @param sslContext for connections with TLS, such as one with a certificate of the client
         * @return this builder
         */
        public Builder sslContext(SSLContext sslContext) {
            this.sslContext = sslContext;
            return this;
        }

        /**
         * A batch with so many lines is sent.
         *
         * @param batchLines 5,000 if it is not set
         * @return this builder
         */
        public Builder batchLines(int batchLines) {
            this.batchLines = batchLines;
            return this;
        }

        /**
         * A batch with so many bytes is sent.
         *
         * @param batchBytes 4 MiB if it is not set
         * @return this builder
         */
        public Builder batchBytes(int batchBytes) {
            this.batchBytes = batchBytes;
            return this;
        }

        /**
         * A batch that is so old is sent.
         *
         * @param batchAge a second if it is not set
         * @return this builder
         */
        public Builder batchAge(Duration batchAge) {
            this.batchAge = batchAge;
            return this;
        }

        /**
         * {@code send} waits while so many bytes have no answer. The spool counts.
         *
         * @param heldBytes 64 MiB if it is not set
         * @return this builder
         */
        public Builder heldBytes(long heldBytes) {
            this.heldBytes = heldBytes;
            return this;
        }

        /**
         * How long {@code close} waits for answers.
         *
         * @param closeTimeout 30 seconds if it is not set
         * @return this builder
         */
        public Builder closeTimeout(Duration closeTimeout) {
            this.closeTimeout = closeTimeout;
            return this;
        }

        /**
         * Starts the uploader. It sends first what an earlier process left in the spool.
         *
         * @return an uploader that is to be closed
         * @throws IllegalArgumentException if an option is wrong
         * @throws IOException if the spool or {@code ca} cannot be read, or another process uses the spool
         */
        public Uploader build() throws IOException {
            return new Uploader(this);
        }
    }

    /**
     * An entry that was not stored, and why.
     *
     * @param entry its JSON
     * @param line in its batch, from 1
     * @param name of the error, such as {@code SchemaValidationError}
     * @param message what is wrong
     * @param details each fault of the entry
     */
    public record Refusal(String entry, int line, String name, String message, List<Detail> details) {}

    /**
     * What is wrong, and where.
     *
     * @param path a JSON Pointer
     * @param keyword of the schema
     * @param message what is wrong
     */
    public record Detail(String path, String keyword, String message) {}

    /**
     * The server has another version of the schema.
     *
     * @param version its number
     * @param change {@code stricter} (it may refuse what this file allows) or {@code looser}
     */
    public record Stale(int version, String change) {}

    /**
     * What became of the entries of this process. What it found in its spool counts.
     *
     * @param stored entries that the server stored
     * @param refused entries that can never be stored
     * @param waiting entries without an answer
     */
    public record Counts(long stored, long refused, long waiting) {}

    /**
     * What {@code close} throws if entries are left, and all methods after the server has refused a whole batch, such as for
     * a wrong key.
     */
    public static final class NotStored extends IOException {
        private static final long serialVersionUID = 1;
        /** How many. */
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
    /** Shorter bodies gain nothing from gzip. */
    private static final int SMALLEST_GZIP = 1_024;
    /** Otherwise Java sends no password to the proxy of a tunnel. */
    private static final String TUNNEL_SCHEMES = "jdk.http.auth.tunneling.disabledSchemes";
    private static final System.Logger LOG = System.getLogger("sluice.uploader");
    /** Writes NaN as it is, not as a text, so that it can be told when it is read again. */
    private static final ObjectMapper JSON = JsonMapper.builder()
        .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
        .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
        .addModule(timesAsTexts())
        .build();
    private static final AtomicLong LAST_STAMP = new AtomicLong();

    private final String domain;
    private final String key;
    private final Consumer<Refusal> onRefused;
    private final Consumer<Stale> onStale;
    private final boolean gzip;
    private final Duration batchAge;
    private final long heldBytes;
    private final Duration closeTimeout;
    private final URI url;
    private final HttpClient http;
    /** What a proxy wants to know; null if that is nothing. */
    private final String proxyAuthorization;
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
    private long storedEntries;
    private long refusedEntries;
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

    /**
     * Begins an uploader: set its options, then {@code build} it.
     *
     * @param baseUrl where Sluice is, such as {@code http://127.0.0.1:4000}
     * @return a builder with the usual options
     */
    public static Builder builder(String baseUrl) {
        return new Builder(baseUrl);
    }

    private Uploader(Builder options) throws IOException {
        String baseUrl = options.baseUrl;
        if (baseUrl == null || !baseUrl.matches("https?://.+"))
            throw new IllegalArgumentException("base URL: \"" + baseUrl + "\" does not begin with http:// or https://");
        domain = options.domain;
        if (domain == null || domain.isEmpty())
            throw new IllegalArgumentException("domain: an application is needed, such as weather-station-k3v9q2");
        String segment = URLEncoder.encode(domain, StandardCharsets.UTF_8).replace("+", "%20");
        url = URI.create(baseUrl.replaceAll("/+$", "") + "/api/applications/" + segment + "/data/");
        key = options.key;
        onRefused = options.onRefused;
        onStale = options.onStale;
        gzip = options.gzip;
        batchAge = options.batchAge;
        heldBytes = options.heldBytes;
        closeTimeout = options.closeTimeout;
        mostLines = options.batchLines;
        mostBytes = options.batchBytes;
        URI proxy = proxyOf(url);
        proxyAuthorization = proxy == null || proxy.getUserInfo() == null
            ? null
            : "Basic " + Base64.getEncoder().encodeToString(proxy.getUserInfo().getBytes(StandardCharsets.UTF_8));
        if (proxyAuthorization != null && System.getProperty(TUNNEL_SCHEMES) == null) System.setProperty(TUNNEL_SCHEMES, "");
        http = clientOf(proxy, options);
        spool = options.spool == null ? null : new Spool(options.spool, domain);
        if (spool != null) sealed.addAll(spool.found);
        for (Batch batch : sealed) {
            held += batch.bytes;
            taken += batch.lines;
        }
        thread.setDaemon(true);
        thread.start();
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private static HttpClient clientOf(URI proxy, Builder options) throws IOException {
        HttpClient.Builder builder = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER);
        if (proxy != null) {
            int port = proxy.getPort() == -1 ? 80 : proxy.getPort();
            builder.proxy(ProxySelector.of(InetSocketAddress.createUnresolved(proxy.getHost(), port)));
        }
        if (options.sslContext != null) builder.sslContext(options.sslContext);
        else if (options.ca != null) builder.sslContext(contextOf(options.ca));
        return builder.build();
    }

    /** Trusts what Java trusts, and the authorities of a file. */
    private static SSLContext contextOf(Path ca) throws IOException {
        try (InputStream file = Files.newInputStream(ca)) {
            Collection<? extends Certificate> further = CertificateFactory.getInstance("X.509").generateCertificates(file);
            if (further.isEmpty()) throw new IllegalArgumentException("ca: " + ca + " has no certificate");
            TrustManagerFactory usual = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            usual.init((KeyStore) null);
            List<Certificate> all = new ArrayList<>(further);
            all.addAll(List.of(((X509TrustManager) usual.getTrustManagers()[0]).getAcceptedIssuers()));
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate one : all) store.setCertificateEntry("ca-" + store.size(), one);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException error) {
            throw new IllegalArgumentException("ca: " + ca + " cannot be used: " + error.getMessage(), error);
        }
    }

    /** The proxy that the environment names for a URL. Without one, Java's own settings count. */
    private static URI proxyOf(URI url) {
        String name = url.getScheme().toUpperCase(Locale.ROOT) + "_PROXY";
        String proxy = environment(name);
        if (proxy.isEmpty() || isExcepted(url, environment("NO_PROXY"))) return null;
        String wrong = name + " is not a URL such as http://proxy.example:3128";
        try {
            URI found = URI.create(proxy.contains("://") ? proxy : "http://" + proxy);
            if ("http".equals(found.getScheme()) && found.getHost() != null) return found;
        } catch (IllegalArgumentException error) {
            // Its message may have a password.
        }
        throw new IllegalArgumentException(wrong);
    }

    private static String environment(String name) {
        String upper = System.getenv().getOrDefault(name, "");
        return upper.isEmpty() ? System.getenv().getOrDefault(name.toLowerCase(Locale.ROOT), "") : upper;
    }

    private static boolean isExcepted(URI url, String exceptions) {
        String host = url.getHost();
        for (String one : exceptions.split("[\\s,]+", -1)) {
            String name = one.replaceFirst("^\\*?\\.", "");
            if (one.equals("*") || (host + ":" + url.getPort()).equalsIgnoreCase(name)) return true;
            if (!name.isEmpty() && ("." + host).toLowerCase(Locale.ROOT).endsWith("." + name.toLowerCase(Locale.ROOT))) return true;
        }
        return false;
    }

    private static SimpleModule timesAsTexts() {
        ToStringSerializerBase withOffset = new ToStringSerializerBase(TemporalAccessor.class) {
            private static final long serialVersionUID = 1;

            @Override
            public String valueToString(Object time) {
                return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format((TemporalAccessor) time);
            }
        };
        return new SimpleModule()
            .addSerializer(Instant.class, ToStringSerializer.instance)
            .addSerializer(LocalDate.class, ToStringSerializer.instance)
            .addSerializer(OffsetDateTime.class, withOffset)
            .addSerializer(ZonedDateTime.class, withOffset);
    }

    private void put(Object entry) throws IOException, InterruptedException {
        byte[] text = textOf(entry);
        boolean isTooLarge = text.length > LARGEST_ENTRY;
        byte[] line = isTooLarge ? text : lineOf(text);
        lock.lock();
        try {
            if (!isInCallback())
                await(() -> held < heldBytes || isClosed || isRefused, null);
            if (isRefused) throw notStored();
            if (isClosed) throw new IllegalStateException("the uploader is closed");
            if (isTooLarge) refusedEntries++;
            else add(line);
        } finally {
            lock.unlock();
        }
        if (isTooLarge) tell(text, List.of(TOO_LARGE.ofLine()));
    }

    /** A callback must not wait for its own thread. */
    private boolean isInCallback() {
        return Thread.currentThread() == thread || telling.isHeldByCurrentThread();
    }

    private static byte[] textOf(Object entry) {
        try {
            return JSON.writeValueAsBytes(entry);
        } catch (JsonProcessingException error) {
            throw notJson(error);
        }
    }

    private static IllegalArgumentException notJson(JsonProcessingException error) {
        return new IllegalArgumentException("an entry that JSON cannot write: " + error.getOriginalMessage(), error);
    }

    /** Fails unless it is a JSON object: serializers may write anything. */
    private static byte[] lineOf(byte[] text) throws IOException {
        try (JsonParser parser = JSON.createParser(text)) {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT)
                throw new IllegalArgumentException("an entry is a JSON object, not " + kindOf(first));
            do {
                parser.nextToken();
                if (parser.isNaN()) throw new IllegalArgumentException("an entry cannot hold NaN or Infinity");
            } while (!parser.getParsingContext().inRoot());
            if (parser.nextToken() != null) throw new IllegalArgumentException("an entry is one JSON object, not several");
        } catch (JsonProcessingException error) {
            throw notJson(error);
        }
        byte[] line = Arrays.copyOf(text, text.length + 1);
        for (int at = 0; at < text.length; at++) if (line[at] == '\n') line[at] = ' ';
        line[text.length] = '\n';
        return line;
    }

    private static String kindOf(JsonToken token) {
        if (token == null) return "nothing";
        return switch (token) {
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            default -> "a number";
        };
    }

    /**
     * Counts what became of the entries so far.
     *
     * @return entries that were stored, that were refused, and that wait for an answer
     */
    public Counts counts() {
        lock.lock();
        try {
            return new Counts(storedEntries, refusedEntries, taken - answered);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all that was handed over before is answered.
     *
     * @throws IOException if the server has refused a whole batch, or a callback has failed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void flush() throws IOException, InterruptedException {
        if (isInCallback()) throw new IllegalStateException("flush must not be called in a callback");
        lock.lock();
        try {
            seal();
            long last = taken;
            await(() -> (answered >= last && !isTelling) || isRefused || isEnded, null);
            check(last);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks whether the server still has the entries that it told this uploader were stored, in the last 10,000 batches.
     * The server answers only if the uploader has a {@code key}.
     *
     * @return how many entries are missing: 0 if all are there
     * @throws IOException if there is no answer, or it is an error
     * @throws InterruptedException if the thread is interrupted while it waits
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

    /**
     * Sends what is left, and ends.
     *
     * @throws NotStored with the number of entries that are not stored
     * @throws IOException if a callback has failed
     */
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
            await(() -> (sealed.isEmpty() && !isTelling) || isRefused || isStuck, closeTimeout);
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
            // A handler of logs may be closed by now.
            System.err.println("Sluice " + domain + ": " + error.getMessage());
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
            filling.due = System.nanoTime() + batchAge.toNanos();
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
            int ofBatch = batch.lines - refused.size();
            if (ofBatch > 0) stored.put(batch.key, ofBatch);
            storedEntries += ofBatch;
            refusedEntries += refused.size();
            isTelling = true;
        } finally {
            lock.unlock();
        }
        tell(body, refused);
        lock.lock();
        try {
            isTelling = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
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
        if (key != null) builder.header("X-Api-Key", key);
        if (proxyAuthorization != null) builder.header("Proxy-Authorization", proxyAuthorization);
        return builder;
    }

    private Answer post(String batchKey, byte[] body) throws IOException, InterruptedException {
        boolean isPacked = gzip && body.length >= SMALLEST_GZIP;
        HttpRequest.Builder builder = newRequest("batch", "application/x-ndjson", isPacked ? packed(body) : body)
            .header("Idempotency-Key", batchKey);
        if (isPacked) builder.header("Content-Encoding", "gzip");
        if (SCHEMA_VERSION > 0 && domain.equals(DOMAIN))
            builder.header("Sluice-Schema-Version", Integer.toString(SCHEMA_VERSION));
        var sent = http.sendAsync(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
        lock.lock();
        try {
            request = sent;
            if (isEnded) sent.cancel(true);
        } finally {
            lock.unlock();
        }
        HttpResponse<byte[]> response = answerOf(sent);
        checkVersion(response);
        return new Answer(response);
    }

    private static byte[] packed(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 4);
        try (GZIPOutputStream packing = new FastGzip(bytes)) {
            packing.write(body);
        }
        return bytes.toByteArray();
    }

    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(ByteArrayOutputStream bytes) throws IOException {
            super(bytes, 8_192);
            def.setLevel(Deflater.BEST_SPEED);
        }
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
        if (onRefused == null) {
            Refusal first = refused.get(0);
            String why = first.message;
            if (!first.details.isEmpty()) why = first.details.get(0).path + " " + first.details.get(0).message;
            warn(refused.size() + " entries were refused; line " + first.line + ": " + why);
            return;
        }
        String[] entries = new String(body, StandardCharsets.UTF_8).split("\n", -1);
        telling.lock();
        try {
            for (Refusal one : refused) {
                String entry = one.line <= entries.length ? entries[one.line - 1] : "";
                Refusal refusal = new Refusal(entry, one.line, one.name, one.message, one.details);
                call(() -> onRefused.accept(refusal));
            }
        } finally {
            telling.unlock();
        }
    }

    private void checkVersion(HttpResponse<?> response) {
        String change = response.headers().firstValue("Sluice-Schema-Change").orElse(null);
        if (change == null || isStale) return;
        isStale = true;
        String text = response.headers().firstValue("Sluice-Schema-Version").orElse("");
        int version = text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
        if (onStale != null) call(() -> onStale.accept(new Stale(version, change)));
        else
            warn("the schema is now version " + version + ", " + change + " than version " + SCHEMA_VERSION
                + " of this client: run sluice client update Uploader.java");
    }

    /** An error in a callback must not lose a batch. */
    private void call(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable error) {
            lock.lock();
            try {
                if (fault == null) fault = error;
            } finally {
                lock.unlock();
            }
        }
    }

    private void warn(String message) {
        warn(domain, message);
    }

    /** An error in a handler of logs must not lose a batch. */
    private static void warn(String domain, String message) {
        String text = "Sluice " + domain + ": " + message;
        try {
            LOG.log(System.Logger.Level.WARNING, text);
        } catch (RuntimeException error) {
            System.err.println(text);
        }
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
                warn(spool.domain, "a file of the spool cannot be removed: " + error);
            }
        }
    }

    /** A folder with a file for each batch. */
    private static final class Spool {
        final List<Batch> found = new ArrayList<>();
        final String domain;
        private final Path folder;
        private final String name;
        private FileChannel channel;

        Spool(Path folder, String domain) throws IOException {
            this.folder = folder;
            this.domain = domain;
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
            warn(domain, "a batch cannot be sent, and is now " + bad + ": " + why);
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
