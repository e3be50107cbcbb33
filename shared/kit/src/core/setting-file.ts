import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

/** The text of a file that a setting names. Throws a {@link ConfigError} if it cannot be read. */
export function readSettingFile(setting: string, file: string, accepted: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ConfigError(
      `${setting}: "${file}" was given, which cannot be read (${code ?? message}), accepted is ${accepted}`,
    )
  }
}
