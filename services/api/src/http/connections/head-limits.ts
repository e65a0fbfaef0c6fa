/** Of the URL and the headers together. */
export const headerLimitBytes = 16 * 1024;

/** As many as HAProxy takes. */
export const headerCountLimit = 100;
