package io.weir.http;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Dates as HTTP writes them (IMF-fixdate of RFC 9110), in whole seconds. */
final class HttpDate {

    /** Not the JDK's RFC 1123, which writes a day of one digit with one. */
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private HttpDate() {}

    /** The first second that is not before {@code instant}, and some seconds later. */
    static String notBefore(Instant instant, long laterSeconds) {
        long up = instant.getNano() == 0 ? 0 : 1;
        return FORMAT.format(Instant.ofEpochSecond(instant.getEpochSecond() + up + laterSeconds));
    }
}
