/** How many grants or keys large groups have in these suites: enough to see a page that reads them all. `MANY=100000` takes minutes. */
export const MANY = Number(process.env['MANY'] ?? 4_000);
