/** The package has no types. */
declare module 'fs-native-extensions' {
  /** An open file description lock on Linux, a BSD lock on macOS. */
  export function tryLock(fd: number): boolean;
}
