// Three projects: servers and browser journeys on Node, the web on jsdom. swc compiles TypeScript
// to ES modules.
const swcTransform = jsx => [
  '@swc/jest',
  {
    jsc: {
      target: 'es2024',
      parser: { syntax: 'typescript', tsx: jsx },
      transform: { react: { runtime: 'automatic' } },
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
]

export default {
  workerIdleMemoryLimit: '1GB',
  // Only ends tests that hang. A slow machine takes several times as long as a usual one.
  testTimeout: 600_000,
  projects: [
    {
      displayName: 'server',
      rootDir: '.',
      modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/data/', '/dist/'],
      testEnvironment: 'node',
      testMatch: ['<rootDir>/{gateway,services/*,shared/*,tools,lab}/test/**/*.test.ts'],
      setupFilesAfterEnv: ['<rootDir>/shared/testing/src/use-database-pool.ts'],
      transform: { '^.+\\.ts$': swcTransform(false) },
      extensionsToTreatAsEsm: ['.ts'],
    },
    {
      displayName: 'web',
      rootDir: '.',
      modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/data/', '/dist/'],
      testEnvironment: 'jest-fixed-jsdom',
      testMatch: ['<rootDir>/web/test/**/*.test.{ts,tsx}'],
      setupFiles: ['<rootDir>/web/test/setup.ts'],
      moduleNameMapper: { '\\.(css|svg)$': '<rootDir>/web/test/style-stub.js' },
      transform: { '^.+\\.tsx?$': swcTransform(true) },
      extensionsToTreatAsEsm: ['.ts', '.tsx'],
    },
    {
      displayName: 'e2e',
      rootDir: '.',
      modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/data/', '/dist/'],
      testEnvironment: 'node',
      testMatch: ['<rootDir>/e2e/test/**/*.test.ts'],
      transform: { '^.+\\.ts$': swcTransform(false) },
      extensionsToTreatAsEsm: ['.ts'],
    },
  ],
}
