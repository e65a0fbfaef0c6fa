import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Sends an entry that is refused and one that is not, while a handler of logs fails. */
final class Logs {
    public static void main(String[] args) throws Exception {
        Logger logger = Logger.getLogger("sluice.uploader");
        logger.addHandler(new Failing());
        try (var uploader = Uploader.builder(args[0]).batchLines(1).build()) {
            uploader.send(Uploader.Entry.builder().n(-1).text("refused").build());
            uploader.send(Uploader.Entry.builder().n(Long.parseLong(args[1])).text("stored").build());
            uploader.flush();
            System.out.println(uploader.counts());
        }
    }

    private static final class Failing extends Handler {
        @Override
        public void publish(LogRecord record) {
            throw new IllegalStateException("a handler that fails");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
