import { describe, expect, it } from 'vitest'
import { expectSound, quotedRows } from './citations.ts'
import { openSession } from './session.ts'
import { temporaryWorkspace } from './temporary-workspace.ts'

const python = {
  'pyproject.toml':
    '[project]\nname = "thing"\ndescription = "Does a thing."\nlicense = "MIT"\ndependencies = [\n  "httpx>=1",\n]\n\n[project.scripts]\nthing = "thing.cli:main"\n',
  'README.rst': 'Thing\n=====\n\n.. image:: x\n\nThing does a thing.\n',
  'thing/cli.py': 'def main():\n    pass\n',
}
const rust = {
  'Cargo.toml': '[package]\nname = "thing"\ndescription = "Does a thing."\n\n[dependencies]\nserde = "1"\n',
  'src/main.rs': 'fn main() {\n}\n',
}
const go = {
  'go.mod': 'module example.com/thing\n\ngo 1.22\n\nrequire (\n\tgolang.org/x/net v0.1.0\n)\n',
  'main.go': 'package main\n\nfunc main() {\n}\n',
}
const java = {
  'pom.xml':
    '<project>\n  <groupId>org.example</groupId>\n  <artifactId>thing</artifactId>\n  <dependencies>\n    <dependency>\n      <artifactId>junit</artifactId>\n    </dependency>\n  </dependencies>\n</project>\n',
}
const c = {
  'CMakeLists.txt':
    'cmake_minimum_required(VERSION 3.10)\nproject(thing C)\nfind_package(ZLIB)\nadd_executable(thing main.c)\n',
  'main.c': 'int main (int argc, char **argv)\n{\n}\n',
}
const make = { Makefile: 'CC = cc\n\nall: thing\n\ninstall: all\n\tcp thing /usr/bin\n\ntest: all\n\t./run\n' }
const node = {
  'package.json':
    '{\n  "name": "thing",\n  "author": {\n    "name": "nobody"\n  },\n  "bin": {\n    "thing": "./cli.js"\n  },\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest"\n  },\n  "dependencies": {\n    "zod": "4"\n  }\n}\n',
  'README.md':
    '# Thing\n\n[![badge](x)](y)\n\n<p>\nhtml\n</p>\n\n```\ncode\n```\n\nThing does a thing.\nReally.\n\n## Usage\n\nRun `thing`.\n\n## Licence\n\nMIT\n',
}

describe('offlineGuide about a project', () => {
  it.each([
    ['what does this project do?', python, ['pyproject.toml:1  [project]', 'pyproject.toml:2  name = "thing"']],
    ['what are the dependencies?', python, ['pyproject.toml:5  dependencies = [', 'pyproject.toml:6  "httpx>=1",']],
    ['what is the entry point?', python, ['pyproject.toml:9  [project.scripts]']],
    ['which license?', python, ['pyproject.toml:4  license = "MIT"']],
    ['what does this crate do?', rust, ['Cargo.toml:1  [package]', 'Cargo.toml:2  name = "thing"']],
    ['what are the dependencies?', rust, ['Cargo.toml:5  [dependencies]', 'Cargo.toml:6  serde = "1"']],
    ['what is the entry point?', rust, ['src/main.rs:1  fn main() {']],
    ['what does this project do?', go, ['go.mod:1  module example.com/thing', 'go.mod:3  go 1.22']],
    ['what are the dependencies?', go, ['go.mod:5  require (', 'go.mod:6  golang.org/x/net v0.1.0']],
    ['what is the entry point?', go, ['main.go:3  func main() {']],
    ['what does this project do?', java, ['pom.xml:2  <groupId>org.example</groupId>']],
    ['what are the dependencies?', java, ['pom.xml:4  <dependencies>', 'pom.xml:6  <artifactId>junit</artifactId>']],
    ['what does this project do?', c, ['CMakeLists.txt:2  project(thing C)']],
    [
      'what is the entry point?',
      c,
      ['CMakeLists.txt:4  add_executable(thing main.c)', 'main.c:1  int main (int argc, char **argv)'],
    ],
    ['how do I install it?', make, ['Makefile:5  install: all']],
    ['how do I run the tests?', make, ['Makefile:8  test: all']],
    ['how do I build it?', node, ['package.json:10  "build": "tsc",']],
    ['what is the entry point?', node, ['package.json:6  "bin": {', 'package.json:7  "thing": "./cli.js"']],
    ['what does this project do?', node, ['package.json:2  "name": "thing",', 'README.md:13  Thing does a thing.']],
    ['how do I run it?', node, ['README.md:16  ## Usage', 'README.md:18  Run `thing`.']],
    ['which license?', node, ['README.md:20  ## Licence', 'README.md:22  MIT']],
  ])('answers %j', async (question, files, first) => {
    const session = await openSession(await temporaryWorkspace(files))

    const exchange = await session.ask(question)

    expectSound(exchange)
    expect(quotedRows(exchange.text).slice(0, first.length)).toEqual(first)
  })

  it('asks the manifests of packages when the outermost one does not tell it', async () => {
    const root = await temporaryWorkspace({
      'package.json': '{\n  "name": "all"\n}\n',
      'packages/a/package.json': '{\n  "main": "./a.js"\n}\n',
    })
    const session = await openSession(root)

    const { text } = await session.ask('what is the entry point?')

    expect(quotedRows(text)).toEqual(['packages/a/package.json:2  "main": "./a.js"'])
  })

  it('says plainly when nothing tells it', async () => {
    const session = await openSession(await temporaryWorkspace({ 'a.txt': 'x\n' }))

    const { text } = await session.ask('what are the dependencies?')

    expect(text).toBe('I found nothing that tells its dependencies.')
  })
})
