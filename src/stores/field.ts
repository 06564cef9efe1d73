/**
 * A member of what a driver returns, or of a driver itself; `undefined` where there is none. Drivers are not dependencies and have many types, so
 * their members are looked up by name.
 */
export const field = (row: unknown, name: string): unknown => Reflect.get(Object(row), name);
