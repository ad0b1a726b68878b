/** Variables that libraries read: where they are, how they are loaded, which language and time zone they use. */
const PASSED_ON =
  /^(PATH|HOME|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LC_\w+|LD_\w+|DYLD_\w+|SystemRoot|windir|(PROJ|GDAL|GEOS|SPATIALITE|SQLITE)_?\w*)$/i;

// A process runs one statement at a time; the second thread is for files.
const THREADS = "2";

/** The environment of a process that runs untrusted SQL: no secrets, and no options meant for the server's Node. */
export const childEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED_ON.test(name))),
  UV_THREADPOOL_SIZE: THREADS,
});
