throw new Error("helpers are not loaded by themselves");
