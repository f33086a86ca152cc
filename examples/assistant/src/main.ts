#!/usr/bin/env node
/** The program: runs when it is imported. */
import { runInProcess } from './run-in-process.ts'

runInProcess()
