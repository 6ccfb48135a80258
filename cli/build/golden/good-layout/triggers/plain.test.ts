throw new Error("tests are not loaded");
