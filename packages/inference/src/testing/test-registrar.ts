/** The two functions of a test runner that a contract suite uses. The suites import none themselves. */
export interface TestRegistrar {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
}
